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

const bundle = (text: string) => ({ json: Buffer.from(text), jws: `jws-${text}` });
const KEYS = {
  keys: [{ kid: 'bundle-1', kty: 'EC', crv: 'P-256', x: 'x', y: 'y', use: 'sig', alg: 'ES256' }],
  announcements: ['a'],
};

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
    await cache.write(bundle('one'));
    await cache.write(bundle('two'));
    await cache.writeKeys(KEYS);
    expect(readdirSync(dir)).toEqual(['bundle-keys.json', 'bundle.json', 'bundle.jws']);
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
    expect((await cache.read())?.json.toString()).toBe('two');
    expect(await cache.readKeys()).toEqual(KEYS);
  });

  it.runIf(process.platform === 'linux')('gives up where no folder can be made', async () => {
    await expect(new BundleCache('/proc/absent/below', 100).write(bundle('one'))).rejects.toThrow(/ENOENT.*proc/);
  });

  it('gives up below a file', async () => {
    writeFileSync(join(root, 'file'), '');
    for (const dir of ['file', 'file/below', 'file/below/it']) {
      await expect(new BundleCache(join(root, dir), 100).write(bundle('one'))).rejects.toThrow(/EEXIST|ENOTDIR/);
    }
  });

  it('has a signature for what is there at every moment of a change', async () => {
    const cache = new BundleCache(root, 100);
    await cache.write(bundle('one'));
    expect((await cache.read())?.signatures).toEqual(['jws-one']);
    // The new bundle cannot take its place: the signatures of both are there.
    rmSync(cache.path);
    mkdirSync(join(cache.path, 'in-the-way'), { recursive: true });
    await expect(cache.write(bundle('two'))).rejects.toThrow();
    rmSync(cache.path, { recursive: true });
    writeFileSync(cache.path, 'one');
    expect((await cache.read())?.signatures).toEqual(['jws-two', 'jws-one']);

    const restarted = new BundleCache(root, 100);
    restarted.verified('jws-one');
    await restarted.write(bundle('three'));
    expect((await restarted.read())?.signatures).toEqual(['jws-three', 'jws-one']);
  });

  it('knows when the cloud last confirmed the file', async () => {
    const cache = new BundleCache(root, 100);
    await cache.write(bundle('one'));
    utimesSync(cache.path, 1_000, 1_000);
    expect((await cache.read())?.confirmedAtMs).toBe(1_000_000);
    expect(await cache.confirm()).toBe(false);
    await cache.writeKeys(KEYS);
    expect(await cache.confirm()).toBe(true);
    expect(Math.abs(((await cache.read())?.confirmedAtMs ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  it('removes what interrupted writes left, and no other file', async () => {
    const left = [
      'bundle.json.0f8fad5b-d9cb-469f-a165-70867728950e.tmp',
      'bundle-keys.json.0f8fad5b-d9cb-469f-a165-70867728950e.tmp',
      'bundle.jws.0f8fad5b-d9cb-469f-a165-70867728950e.tmp',
      'bundle.json.tmp',
      'other.tmp',
      'bundle.json',
    ];
    for (const name of left) writeFileSync(join(root, name), 'x');
    expect(await new BundleCache(root, 100).clean()).toBe(3);
    expect(readdirSync(root).sort()).toEqual(left.slice(3).sort());
  });

  it('leaves the old file, and no other, where the new one cannot be put in place', async () => {
    mkdirSync(join(root, 'bundle.json', 'in-the-way'), { recursive: true });
    const cache = new BundleCache(root, 100);
    await expect(cache.write(bundle('one'))).rejects.toThrow();
    expect(readdirSync(root)).toEqual(['bundle.json', 'bundle.jws']);
    await expect(cache.read()).rejects.toThrow();
  });

  it('reads no file beyond its bound', async () => {
    writeFileSync(join(root, 'bundle.json'), 'x'.repeat(101));
    await expect(new BundleCache(root, 100).read()).rejects.toThrow('101 bytes');
    expect(readFileSync(join(root, 'bundle.json'), 'utf8')).toHaveLength(101);
  });
});
