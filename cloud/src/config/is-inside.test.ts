import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeEpochKeyFile, readEpochKeyFile } from '../backup/epoch-key-file.js';
import { isInside } from './is-inside.js';

let dir: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'is-inside-')));
  await mkdir(join(dir, 'data', 'below'), { recursive: true });
  await mkdir(join(dir, 'data-2'));
  await symlink(join(dir, 'data'), join(dir, 'link'));
  await writeFile(join(dir, 'data', 'secret'), '');
  await symlink(join(dir, 'data', 'secret'), join(dir, 'mounted'));
  await symlink(join('data', 'new'), join(dir, 'dangling'));
  await symlink(join('absent', '..', 'loop'), join(dir, 'loop'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it.each<[string, string, string, boolean]>([
  ['in it', 'data/secret', 'data', true],
  ['below it, and not there yet', 'data/below/new/file', 'data', true],
  ['the folder itself', 'data', 'data', true],
  ['beside it', 'secret', 'data', false],
  ['in a folder whose name begins like its', 'data-2/secret', 'data', false],
  ['a link into it', 'mounted', 'data', true],
  ['a link to what is not there yet', 'dangling', 'data', true],
  ['a link to itself', 'loop', 'data', false],
  ['in it by a link to a folder above', 'link/below/new', 'data', true],
  ['in it, which is named by a link', 'data/secret', 'link', true],
  ['out of it by dots', 'data/../secret', 'data', false],
])('finds whether a file is inside a folder: %s', (_, file, folder, inside) => {
  expect(isInside(join(dir, file), join(dir, folder))).toBe(inside);
});

it('keeps an epoch key out of the data directory, where only a link leads there', async () => {
  await makeEpochKeyFile(join(dir, 'data', 'epoch.key'));
  await symlink(join(dir, 'data', 'epoch.key'), join(dir, 'epoch.key'));
  const place = { dataDir: join(dir, 'data') };
  await expect(readEpochKeyFile(join(dir, 'epoch.key'), place)).rejects.toThrow(/lies in the data directory/);
  await expect(readEpochKeyFile(join(dir, 'epoch.key'), { dataDir: join(dir, 'data-2') })).resolves.toBeDefined();
});
