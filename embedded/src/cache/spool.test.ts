import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContestedCache } from './delta-log.js';
import { Spool } from './spool.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'spool-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function spooled(path: string): Promise<Spool> {
  const spool = await Spool.begin(path);
  for (const piece of ['one', 'two', 'three']) await spool.write(Buffer.from(piece));
  return spool;
}
const all = (spool: Spool) => spool.subarray(0, spool.length).toString();

describe.each([
  ['in a file', ''],
  ['in memory, for want of a folder', 'folder'],
])('a spool %s', (_, folder) => {
  const path = () => join(root, folder, 'spool');

  it('gives its bytes in parts, and their hash', async () => {
    const spool = await spooled(path());
    expect([spool.length, all(spool)]).toEqual([11, 'onetwothree']);
    expect([spool.subarray(2, 5), spool.subarray(9, 20), spool.subarray(20, 30)].map(String)).toEqual([
      'etw',
      'ee',
      '',
    ]);
    expect(spool.sha256).toBe(createHash('sha256').update('onetwothree').digest('hex'));
    await spool.discard();
    expect(readdirSync(root)).toEqual([]);
  });

  it('becomes a file, at the latest when it can be one', async () => {
    const spool = await spooled(path());
    const target = join(root, folder, 'target');
    mkdirSync(join(target, 'in-the-way'), { recursive: true });
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(spool.moveTo(target)).rejects.toThrow();
      expect([all(spool), readdirSync(join(root, folder))]).toEqual(['onetwothree', ['target']]);
    }
    rmSync(target, { recursive: true });
    await spool.moveTo(target);
    await spool.discard();
    expect(readdirSync(join(root, folder))).toEqual(['target']);
    expect(readFileSync(target, 'utf8')).toBe('onetwothree');
  });
});

it('says that its folder is contested where somebody removed its file, and can be tried again', async () => {
  const [path, target] = [join(root, 'spool'), join(root, 'target')];
  const spool = await spooled(path);
  rmSync(path);
  await expect(spool.moveTo(target)).rejects.toThrow(ContestedCache);
  await spool.moveTo(target);
  expect(readFileSync(target, 'utf8')).toBe('onetwothree');
  expect(readdirSync(root)).toEqual(['target']);
});
