import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { originsOf } from './tree-origins.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cli-origins-'));
  vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const address = 'role/r';
const origins = async () => {
  const warnings: string[] = [];
  const file = join(folder, 'a.yaml');
  const found = await originsOf(
    folder,
    [{ address }],
    () => ({ file, line: 3, column: 1 }),
    async (text) => {
      warnings.push(text);
    },
  );
  return { found, warnings };
};

it('names the commit, and warns where Git does not trust the repository of another user', async () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=n', '-c', 'user.email=e', ...args], {
      encoding: 'utf8',
    }).trim();
  writeFileSync(join(folder, 'a.yaml'), 'version: 1\n');
  const places = { 'a.yaml': { [address]: 3 } };
  expect(await origins()).toEqual({ found: { places }, warnings: [] });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '-m', 'm');
  expect(await origins()).toEqual({ found: { commit: git('rev-parse', 'HEAD'), places }, warnings: [] });
  // Git's own switch for its tests of this.
  vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1');
  const { found, warnings } = await origins();
  expect(found).toEqual({ places });
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(
    /Repository and commit are left out of .*: its repository belongs to another user, .*safe\.directory/,
  );
});
