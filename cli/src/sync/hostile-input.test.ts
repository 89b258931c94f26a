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

test('holds a commit whose tree has a symbolic link, so that no file of the controller is read', async () => {
  const repository = join(folder, 'repository');
  mkdirSync(join(repository, 'tenant'), { recursive: true });
  symlinkSync('/etc/passwd', join(repository, 'tenant', 'roles.yaml'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args]);
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'one');
  const config = await stackOf(repository);
  const clone = new Clone(config, join(folder, 'clone'), () => gitEnvironment({}, undefined));
  const { signal } = new AbortController();
  const checkedOut = clone.checkOut(await clone.newest(signal), signal);
  await expect(checkedOut).rejects.toThrow(/"tenant\/roles.yaml" is a symbolic link/);
  await expect(checkedOut).rejects.toBeInstanceOf(Held);
});

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
