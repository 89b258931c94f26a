import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeTree } from './write-tree.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-tree-'));
});
afterEach(() => rm(folder, { recursive: true }));

const tree = async () => (await readdir(folder, { recursive: true })).sort();
const FILES = [
  { path: 'tenant.yaml', text: 'new' },
  { path: 'applications/shop.yaml', text: 'shop' },
];

describe('writeTree', () => {
  it('replaces the files of the format, and leaves others', async () => {
    await mkdir(join(folder, 'applications'));
    await Promise.all(
      ['tenant.yaml', 'applications/old.yaml', 'notes.md'].map((name) => writeFile(join(folder, name), 'old')),
    );
    expect(await writeTree(folder, FILES, { replace: true })).toEqual(FILES.map(({ path }) => join(folder, path)));
    expect(await tree()).toEqual(['applications', 'applications/shop.yaml', 'notes.md', 'tenant.yaml']);
    expect(await readFile(join(folder, 'tenant.yaml'), 'utf8')).toBe('new');
  });

  it('leaves what was there where a file cannot be written, and names that file', async () => {
    await writeFile(join(folder, 'tenant.yaml'), 'old');
    const unwritable = { path: `${'x'.repeat(300)}.yaml`, text: '' };
    const writing = writeTree(folder, [...FILES, unwritable], { replace: true });
    await expect(writing).rejects.toMatchObject({ code: 'ENAMETOOLONG', path: join(folder, unwritable.path) });
    expect(await tree()).toEqual(['tenant.yaml']);
    expect(await readFile(join(folder, 'tenant.yaml'), 'utf8')).toBe('old');
  });
});
