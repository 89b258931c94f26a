import { execFile } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
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
  ['is not there', 'missing', /^".*missing" cannot be replaced: ENOENT/],
  ['cannot be replaced', 'folder', /^".*folder" cannot be replaced: EISDIR/],
  [
    'was changed since it was read',
    'changed',
    /^".*changed" was changed meanwhile by somebody else: nothing was written; run the command again\.$/,
  ],
])('leaves all as they were where one %s', async (_, other, said) => {
  await writeFile(at('changed'), 'theirs');
  await expect(replaceFiles([to('a'), to(other)])).rejects.toThrow(said);
  expect(await readFile(at('a'), 'utf8')).toBe('old');
  expect(await readFile(at('changed'), 'utf8')).toBe('theirs');
  expect((await readdir(dir)).sort()).toEqual(['a', 'changed', 'folder']);
});

it('overwrites nothing that is saved after the first look', async () => {
  // Whoever reads a pipe waits until somebody writes to it: by then the file before it has been looked at.
  await promisify(execFile)('mkfifo', [at('pipe')]);
  const replacing = replaceFiles([to('a'), to('pipe')]).catch((error: unknown) => error);
  while (!(await readdir(dir)).some((name) => name.startsWith('a.'))) await writeFile(at('other'), '');
  await writeFile(at('a'), 'theirs');
  await writeFile(at('pipe'), 'old');
  expect(String(await replacing)).toMatch(/"\S+\/a" was changed meanwhile by somebody else: nothing was written/);
  expect(await readFile(at('a'), 'utf8')).toBe('theirs');
});

it('keeps a byte order mark', async () => {
  await writeFile(at('a'), '\uFEFFold');
  await replaceFiles([to('a')]);
  expect(await readFile(at('a'), 'utf8')).toBe('\uFEFFnew');
});
