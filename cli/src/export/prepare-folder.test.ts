import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prepareFolder } from './prepare-folder.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-export-'));
});
afterEach(() => rm(folder, { recursive: true }));

const tree = async () => (await readdir(folder, { recursive: true })).sort();

describe('prepareFolder', () => {
  it('makes a folder that is not there', async () => {
    await prepareFolder(join(folder, 'a/b'), false);
    expect(await tree()).toEqual(['a', 'a/b']);
  });

  it('takes one with hidden files alone for empty', async () => {
    await mkdir(join(folder, '.git'));
    await prepareFolder(folder, false);
  });

  it('refuses one with files, and touches none', async () => {
    await writeFile(join(folder, 'a.yaml'), '');
    await expect(prepareFolder(folder, false)).rejects.toThrow(/not empty \(a.yaml\)/);
    expect(await tree()).toEqual(['a.yaml']);
  });

  it('removes the files of a tree, and no others, where it may', async () => {
    await mkdir(join(folder, 'sub/.hidden'), { recursive: true });
    for (const name of ['a.yaml', 'b.txt', 'sub/c.yml', 'sub/.hidden/d.yaml', '.e.yaml'])
      await writeFile(join(folder, name), '');
    await prepareFolder(folder, true);
    expect(await tree()).toEqual(['.e.yaml', 'b.txt', 'sub', 'sub/.hidden', 'sub/.hidden/d.yaml']);
  });
});
