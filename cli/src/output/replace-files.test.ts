import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceFiles } from './replace-files.js';

let dir: string;
const at = (name: string) => join(dir, name);
const to = (name: string) => ({ path: at(name), before: 'old', text: 'new' });

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'replace-'));
  await writeFile(at('a'), 'old', { mode: 0o640 });
  await mkdir(at('folder'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it('replaces files, and leaves links and modes', async () => {
  await symlink('a', at('link'));
  await replaceFiles([to('link')]);
  expect(await readFile(at('a'), 'utf8')).toBe('new');
  expect((await lstat(at('link'))).isSymbolicLink()).toBe(true);
  expect((await stat(at('a'))).mode & 0o777).toBe(0o640);
  expect((await readdir(dir)).sort()).toEqual(['a', 'folder', 'link']);
});

it.each([
  ['is not there', 'missing'],
  ['cannot be replaced', 'folder'],
])('leaves all as they were where one %s', async (_, other) => {
  await expect(replaceFiles([to('a'), to(other)])).rejects.toThrow(other);
  expect(await readFile(at('a'), 'utf8')).toBe('old');
  expect((await readdir(dir)).sort()).toEqual(['a', 'folder']);
});
