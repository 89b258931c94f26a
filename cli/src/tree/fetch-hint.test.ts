import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fetchHint } from './git.js';
import { readGitTree } from './read-git-tree.js';

const root = mkdtempSync(join(tmpdir(), 'fetch-hint-'));
const origin = join(root, 'origin');
const clone = join(root, 'clone');
const here = process.cwd();
/** Without the maintenance that Git would go on with in the background, in a folder that is removed meanwhile. */
const git = (cwd: string, ...args: string[]) => {
  const settings = ['user.name=T', 'user.email=t@example.com', 'maintenance.auto=false', 'gc.auto=0'];
  return execFileSync('git', [...settings.flatMap((one) => ['-c', one]), ...args], { cwd, stdio: 'pipe' });
};

beforeAll(() => {
  mkdirSync(join(origin, 'tenant'), { recursive: true });
  git(origin, 'init', '--quiet', '--initial-branch=main');
  for (const text of ['version: 1\n', 'version: 1\nstack: b\n']) {
    writeFileSync(join(origin, 'tenant/a.yaml'), text);
    git(origin, 'add', '--all');
    git(origin, 'commit', '--quiet', '--message', 'change');
  }
  git(origin, 'checkout', '--quiet', '-b', 'change');
});
beforeEach(() => {
  // A clone as pipelines make it: of one branch, without its history.
  git(root, 'clone', '--quiet', '--depth=1', '--branch=change', `file://${origin}`, 'clone');
  process.chdir(clone);
});
afterEach(() => {
  process.chdir(here);
  rmSync(clone, { recursive: true, force: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('what is said of a revision that a clone lacks', () => {
  it.each(['main', 'origin/main', 'origin/main~1', 'main^'])('can be followed: %s', async (revision) => {
    await expect(readGitTree(`${revision}:tenant/`)).rejects.toThrow(/knows no revision .*: run "git fetch /);
    const hint = (await fetchHint(revision)) ?? '';
    const [, command = '', other = ''] = /^run "git ([^"]+)" and write (\S+) in its place$/.exec(hint) ?? [];
    git(clone, ...command.split(' '));
    expect(await readGitTree(`${other}:tenant/`)).toHaveLength(1);
  });

  it('deepens a shallow clone for what is before HEAD', async () => {
    const [, command = ''] = /^run "git ([^"]+)"$/.exec((await fetchHint('HEAD~1')) ?? '') ?? [];
    git(clone, ...command.split(' '));
    expect(await readGitTree('HEAD~1:tenant/')).toHaveLength(1);
    expect(await fetchHint('HEAD~9')).toBeUndefined();
  });

  it('brings what a partial clone left out', async () => {
    git(origin, 'config', 'uploadpack.allowFilter', 'true');
    process.chdir(here);
    rmSync(clone, { recursive: true, force: true });
    git(root, 'clone', '--quiet', '--filter=blob:none', '--branch=change', `file://${origin}`, 'clone');
    process.chdir(clone);
    const refused = await readGitTree('HEAD~1:tenant/').catch((error: Error) => error.message);
    const [, command = ''] = /this partial clone lacks .*"git (fetch [^"]+)"/.exec(String(refused)) ?? [];
    git(clone, ...command.split(' '));
    expect(await readGitTree('HEAD~1:tenant/')).toHaveLength(1);
  });

  it('names no command where there is nowhere to fetch from, or for what is no name', async () => {
    expect(await fetchHint('--upload-pack=x')).toBeUndefined();
    git(clone, 'remote', 'remove', 'origin');
    expect(await fetchHint('main')).toBeUndefined();
  });
});
