import { link, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeUnfinishedRestores } from './unfinished-restore.js';

it('removes what a killed restore has left, and nothing else', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'unfinished-'));
  try {
    const file = (...path: string[]) => writeFile(join(dir, ...path), 'x');
    await file('cloud.sqlite');
    await link(join(dir, 'cloud.sqlite'), join(dir, 'cloud.sqlite.before-restore-20260601T000000Z'));
    for (const folder of ['.unfinished-restore-Ab3dE6', '.unfinished-restore-Zz9zZ9', 'restore-backup'])
      await mkdir(join(dir, folder));
    await file('.unfinished-restore-Ab3dE6', 'cloud.sqlite');
    await file('.unfinished-restore-Ab3dE6', 'present.sqlite-wal');
    await file('.unfinished-restore-Zz9zZ9', 'mine.txt');
    await file('restore-backup', 'cloud.sqlite');
    await file('cloud.sqlite.before-restore-20250101T000000Z');
    const left = [
      '.unfinished-restore-Zz9zZ9',
      'cloud.sqlite',
      'cloud.sqlite.before-restore-20250101T000000Z',
      'restore-backup',
    ];
    expect(await removeUnfinishedRestores(dir)).toEqual(
      ['.unfinished-restore-Ab3dE6', 'cloud.sqlite.before-restore-20260601T000000Z'].map((name) => join(dir, name)),
    );
    expect((await readdir(dir)).sort()).toEqual(left);
    expect(await removeUnfinishedRestores(dir)).toEqual([]);
  } finally {
    await rm(dir, { recursive: true });
  }
});
