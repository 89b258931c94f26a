import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BundleCache } from './cache.js';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agent-cache-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('BundleCache', () => {
  it('has nothing where there is no folder', async () => {
    const cache = new BundleCache(join(root, 'absent'), 100);
    expect(await cache.clean()).toBe(0);
    expect(await cache.read()).toBeUndefined();
    expect(await cache.confirm()).toBe(false);
  });

  it('makes the folder and a file that only its owner reads, and nothing else', async () => {
    const dir = join(root, 'a', 'b');
    const cache = new BundleCache(dir, 100);
    await cache.write(Buffer.from('one'));
    await cache.write(Buffer.from('two'));
    expect(readdirSync(dir)).toEqual(['bundle.json']);
    expect(statSync(join(dir, 'bundle.json')).mode & 0o777).toBe(0o600);
    expect((await cache.read())?.bytes.toString()).toBe('two');
  });

  it('knows when the cloud last confirmed the file', async () => {
    const cache = new BundleCache(root, 100);
    await cache.write(Buffer.from('one'));
    utimesSync(cache.path, 1_000, 1_000);
    expect((await cache.read())?.confirmedAtMs).toBe(1_000_000);
    expect(await cache.confirm()).toBe(true);
    expect(Math.abs(((await cache.read())?.confirmedAtMs ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  it('removes what interrupted writes left, and no other file', async () => {
    const left = [
      'bundle.json.0f8fad5b-d9cb-469f-a165-70867728950e.tmp',
      'bundle.json.tmp',
      'other.tmp',
      'bundle.json',
    ];
    for (const name of left) writeFileSync(join(root, name), 'x');
    expect(await new BundleCache(root, 100).clean()).toBe(1);
    expect(readdirSync(root).sort()).toEqual(left.slice(1).sort());
  });

  it('leaves the old file, and no other, where the new one cannot be put in place', async () => {
    mkdirSync(join(root, 'bundle.json', 'in-the-way'), { recursive: true });
    const cache = new BundleCache(root, 100);
    await expect(cache.write(Buffer.from('one'))).rejects.toThrow();
    expect(readdirSync(root)).toEqual(['bundle.json']);
    await expect(cache.read()).rejects.toThrow();
  });

  it('reads no file beyond its bound', async () => {
    writeFileSync(join(root, 'bundle.json'), 'x'.repeat(101));
    await expect(new BundleCache(root, 100).read()).rejects.toThrow('101 bytes');
    expect(readFileSync(join(root, 'bundle.json'), 'utf8')).toHaveLength(101);
  });
});
