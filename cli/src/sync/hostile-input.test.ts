import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSecret } from './config/secret-file.js';
import { readSyncConfig } from './config/sync-config.js';
import { Clone, Held } from './git/clone.js';
import { gitEnvironment } from './git/git-access.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sync-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function stackOf(repository: string, branch = 'main') {
  const file = join(folder, 'sync.yaml');
  writeFileSync(
    file,
    `version: 1\nstacks: { payments: { repository: "${repository}", branch: "${branch}", path: tenant } }\n`,
  );
  const [config] = await readSyncConfig(file);
  if (config === undefined) throw new Error('no stack');
  return config;
}

/** A repository with one commit, whose tree `write` has filled. */
function committed(write: (tenant: string) => void): string {
  const repository = join(folder, 'repository');
  mkdirSync(join(repository, 'tenant'), { recursive: true });
  write(join(repository, 'tenant'));
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['commit', '-q', '-m', 'one'],
  ])
    execFileSync('git', ['-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args]);
  return repository;
}

test('holds a commit whose tree has a symbolic link, so that no file of the controller is read', async () => {
  const repository = committed((tenant) => symlinkSync('/etc/passwd', join(tenant, 'roles.yaml')));
  const config = await stackOf(repository);
  const clone = new Clone(config, join(folder, 'clone'), () => gitEnvironment({}, undefined));
  const { signal } = new AbortController();
  const checkedOut = clone.checkOut(await clone.newest(signal), signal);
  await expect(checkedOut).rejects.toThrow(/"tenant\/roles.yaml" is a symbolic link/);
  await expect(checkedOut).rejects.toBeInstanceOf(Held);
});

test.each(['index', 'config', 'HEAD', 'refs/sync/refs/heads/main'])(
  'makes the clone anew where its %s is half a file',
  async (name) => {
    const repository = committed((tenant) => writeFileSync(join(tenant, 'roles.yaml'), 'version: 1\n'));
    const clone = new Clone(await stackOf(repository), join(folder, 'clone'), () => gitEnvironment({}, undefined));
    const { signal } = new AbortController();
    const commit = await clone.newest(signal);
    await clone.checkOut(commit, signal);
    writeFileSync(join(folder, 'clone', '.git', name), 'half');
    writeFileSync(join(folder, 'clone', '.git', 'index.lock'), '');
    const look = async () => {
      await clone.checkOut(await clone.newest(signal), signal);
      return await clone.newest(signal);
    };
    expect(await look().catch(look)).toBe(commit);
  },
);

test('refuses a token in place of the user, and does not repeat it', async () => {
  const error = await stackOf('https://ghp_s3cret@git.example/acme/authz').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'invalid_config' });
  expect(JSON.stringify(error) + String(error)).not.toContain('s3cret');
});

test('names a file of a secret that cannot be read', async () => {
  await expect(readSecret(join(folder, 'absent'))).rejects.toMatchObject({ code: 'invalid_config' });
});

test.each(['a:b', 'a*', 'a..b', '-a', 'a/', 'a b', 'a.lock', 'x@{1}'])('refuses the branch %j', async (branch) => {
  await expect(stackOf('https://git.example/acme/authz', branch)).rejects.toMatchObject({ code: 'invalid_config' });
});
