import { createHash } from 'node:crypto';
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

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const bundle = (text: string) => ({ bytes: Buffer.from(text), jws: `jws-${text}`, sha256: sha256(text) });
async function write(cache: BundleCache, text: string): Promise<void> {
  const bytes = await cache.spool();
  await bytes.write(Buffer.from(text));
  await cache.write({ ...bundle(text), bytes });
}
/** Reads what is cached: the text, and everything else. */
async function read(cache: BundleCache) {
  const { bytes, close, ...more } = (await cache.read()) ?? {};
  const text = bytes?.subarray(0, bytes.length).toString();
  await close?.();
  return { text, ...more };
}
const delta = (text: string) => ({ json: Buffer.from(`${text}\n`), jws: `jws-${text}` });
const logOf = (text: string) => join(root, `deltas-${sha256(text).slice(0, 16)}.log`);
const KEYS = {
  keys: [{ kid: 'bundle-1', kty: 'EC', crv: 'P-256', x: 'x', y: 'y', use: 'sig', alg: 'ES256' }],
  announcements: ['a'],
};
const SERVED = { tenant: { id: 't', name: 'acme' }, revision: `1.${'0'.repeat(16)}`, keyHash: 'h' };
const FILES = ['bundle-keys.json', 'bundle.json', 'bundle.jws', 'served.json'];

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
    await write(cache, 'one');
    await write(cache, 'two');
    await cache.writeKeys(KEYS);
    await cache.writeLastServed(SERVED);
    expect(readdirSync(dir)).toEqual(FILES);
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
    expect((await read(cache)).text).toBe('two');
    expect(await cache.readKeys()).toEqual(KEYS);
    expect(await new BundleCache(dir, 100).readLastServed()).toEqual(SERVED);
  });

  it.runIf(process.platform === 'linux')('gives up where no folder can be made', async () => {
    await expect(write(new BundleCache('/proc/absent/below', 100), 'one')).rejects.toThrow(/ENOENT.*proc/);
  });

  it('gives up below a file', async () => {
    writeFileSync(join(root, 'file'), '');
    for (const dir of ['file', 'file/below', 'file/below/it']) {
      await expect(write(new BundleCache(join(root, dir), 100), 'one')).rejects.toThrow(/EEXIST|ENOTDIR/);
    }
  });

  it('has a signature for what is there at every moment of a change', async () => {
    const cache = new BundleCache(root, 100);
    await write(cache, 'one');
    expect((await read(cache)).signatures).toEqual(['jws-one']);
    // The new bundle cannot take its place: the signatures of both are there.
    rmSync(cache.path);
    mkdirSync(join(cache.path, 'in-the-way'), { recursive: true });
    await expect(write(cache, 'two')).rejects.toThrow();
    rmSync(cache.path, { recursive: true });
    writeFileSync(cache.path, 'one');
    expect((await read(cache)).signatures).toEqual(['jws-two', 'jws-one']);

    const restarted = new BundleCache(root, 100);
    await restarted.deltasAfter(bundle('one'));
    await write(restarted, 'three');
    expect((await read(restarted)).signatures).toEqual(['jws-three', 'jws-one']);
  });

  it('knows when the cloud last confirmed the file', async () => {
    const cache = new BundleCache(root, 100);
    await write(cache, 'one');
    utimesSync(cache.path, 1_000, 1_000);
    expect((await read(cache)).confirmedAtMs).toBe(1_000_000);
    expect(await cache.confirm()).toBe(false);
    await cache.writeKeys(KEYS);
    expect(await cache.confirm()).toBe(false);
    await cache.writeLastServed(SERVED);
    expect(await cache.confirm()).toBe(true);
    expect(Math.abs(((await read(cache)).confirmedAtMs ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  it.each([
    '',
    '{',
    '[]',
    'null',
    JSON.stringify({ ...SERVED, revision: '1' }),
    JSON.stringify({ ...SERVED, keyHash: '' }),
  ])('does not take %j for what was served last', async (text) => {
    writeFileSync(join(root, 'served.json'), text);
    await expect(new BundleCache(root, 100).readLastServed()).rejects.toMatchObject({ code: 'invalid_bundle' });
  });

  it('removes what interrupted writes left, and no other file', async () => {
    const left = [
      'bundle.json.0f8fad5b-d9cb-469f-a165-70867728950e.tmp',
      'bundle-keys.json.0f8fad5b-d9cb-469f-a165-70867728950e.tmp',
      'bundle.jws.0f8fad5b-d9cb-469f-a165-70867728950e.tmp',
      'served.json.0f8fad5b-d9cb-469f-a165-70867728950e.tmp',
      'newest.jws.0f8fad5b-d9cb-469f-a165-70867728950e.tmp',
      'bundle.json.tmp',
      'other.tmp',
      'bundle.json',
    ];
    for (const name of left) writeFileSync(join(root, name), 'x');
    expect(await new BundleCache(root, 100).clean()).toBe(5);
    expect(readdirSync(root).sort()).toEqual(left.slice(5).sort());
  });

  it('leaves the old file, and no other, where the new one cannot be put in place', async () => {
    mkdirSync(join(root, 'bundle.json', 'in-the-way'), { recursive: true });
    const cache = new BundleCache(root, 100);
    await expect(write(cache, 'one')).rejects.toThrow();
    expect(readdirSync(root)).toEqual(['bundle.json', 'bundle.jws']);
    await expect(cache.read()).rejects.toThrow();
  });

  it('leaves nothing where the time at which it was the newest cannot be put in place', async () => {
    mkdirSync(join(root, 'newest.jws', 'in-the-way'), { recursive: true });
    const cache = new BundleCache(root, 100);
    await expect(cache.writeNewest('jws')).rejects.toThrow();
    expect(readdirSync(root)).toEqual(['newest.jws']);
    await expect(cache.readNewest()).rejects.toThrow();
  });

  it('reads no file beyond its bound', async () => {
    writeFileSync(join(root, 'bundle.json'), 'x'.repeat(101));
    await expect(new BundleCache(root, 100).read()).rejects.toThrow('101 bytes');
    expect(readFileSync(join(root, 'bundle.json'), 'utf8')).toHaveLength(101);
  });
});

describe('the deltas after a bundle', () => {
  /** Returns what a restarted agent finds. */
  const found = async (base = 'one', bytesMax = 1000) => {
    const cache = new BundleCache(root, bytesMax);
    const deltas = await cache.deltasAfter(bundle(base));
    return { cache, texts: deltas.map(({ json, jws }) => `${jws} ${json}`.trim()) };
  };

  async function chain(...texts: string[]): Promise<BundleCache> {
    const cache = new BundleCache(root, 1000);
    await cache.writeKeys(KEYS);
    await write(cache, 'one');
    await cache.writeLastServed(SERVED);
    for (const text of texts) await cache.append(delta(text));
    return cache;
  }

  it('are found again in order, and gone on with', async () => {
    const cache = await chain('a', 'b');
    expect(cache.chain).toEqual({ deltas: 2, bytes: statSync(logOf('one')).size, baseBytes: 3 });
    expect(statSync(logOf('one')).mode & 0o777).toBe(0o600);
    const restarted = await found();
    expect(restarted.texts).toEqual(['jws-a a', 'jws-b b']);
    expect(restarted.cache.chain).toEqual(cache.chain);
    await restarted.cache.append(delta('c'));
    expect((await found()).texts).toEqual(['jws-a a', 'jws-b b', 'jws-c c']);
  });

  it('are those of their bundle: another one begins anew, and takes them away', async () => {
    const cache = await chain('a');
    await write(cache, 'two');
    expect(cache.chain).toEqual({ deltas: 0, bytes: 0, baseBytes: 3 });
    expect(readdirSync(root)).toEqual(FILES);
    await cache.append(delta('b'));
    expect((await found('two')).texts).toEqual(['jws-b b']);
  });

  it('count for nothing where the process was killed before they were taken away', async () => {
    const cache = await chain('a');
    const left = readFileSync(logOf('one'));
    await write(cache, 'two');
    writeFileSync(logOf('one'), left);
    expect((await found('two')).texts).toEqual([]);
    expect(readdirSync(root)).toEqual(FILES);
  });

  it('stay those of the old bundle where the new one did not come to its place', async () => {
    const cache = await chain('a');
    const content = readFileSync(cache.path);
    rmSync(cache.path);
    mkdirSync(join(cache.path, 'in-the-way'), { recursive: true });
    await expect(write(cache, 'two')).rejects.toThrow();
    expect(cache.saved).toBe(false);
    rmSync(cache.path, { recursive: true });
    writeFileSync(cache.path, content);
    expect((await found()).texts).toEqual(['jws-a a']);
  });

  it('end before what was cut off, wherever the process was killed, and go on there', async () => {
    await chain('a', 'b');
    const whole = readFileSync(logOf('one'));
    const first = whole.indexOf('jws-b');
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(logOf('one'), whole.subarray(0, length));
      const { cache, texts } = await found();
      expect(texts).toEqual(length < first ? [] : ['jws-a a']);
      expect(cache.cutOff).toBe(length !== 0 && length !== first);
      await cache.append(delta('c'));
      expect((await found()).texts).toEqual([...texts, 'jws-c c']);
    }
  });

  it('end before a tail of zeros, as a crash of the machine may leave it', async () => {
    await chain('a');
    writeFileSync(logOf('one'), Buffer.concat([readFileSync(logOf('one')), Buffer.alloc(100)]));
    expect((await found()).texts).toEqual(['jws-a a']);
  });

  it('are refused where they are damaged in another way, or too many', async () => {
    await chain('a', 'b');
    const whole = readFileSync(logOf('one'), 'latin1');
    const [length] = / \d+ /.exec(whole) ?? [''];
    for (const damage of [' two ', ' 999999 ', ` ${Number(length) - 1} `, ' ']) {
      writeFileSync(logOf('one'), whole.replace(`jws-b${length}`, `jws-b${damage}`));
      await expect(found()).rejects.toMatchObject({ code: 'invalid_bundle', detail: expect.stringMatching(/entry 1/) });
    }
    writeFileSync(logOf('one'), whole);
    await expect(found('one', 10)).rejects.toMatchObject({ detail: expect.stringMatching(/more than the 10 allowed/) });
  });

  it('leave the age of what is there as it is while they cannot be written', async () => {
    const cache = await chain('a');
    const content = readFileSync(logOf('one'));
    utimesSync(cache.path, 1_000, 1_000);
    rmSync(logOf('one'));
    mkdirSync(logOf('one'));
    await expect(cache.append(delta('b'))).rejects.toThrow();
    await cache.confirm().catch(() => undefined);
    expect(statSync(cache.path).mtimeMs).toBe(1_000_000);
    rmSync(logOf('one'), { recursive: true });
    writeFileSync(logOf('one'), content);
    await cache.flush();
    expect(statSync(cache.path).mtimeMs).toBeGreaterThan(1_000_000);
  });

  it('that could not be written are written with the next', async () => {
    const cache = await chain('a');
    const content = readFileSync(logOf('one'));
    rmSync(logOf('one'));
    mkdirSync(logOf('one'));
    await expect(cache.append(delta('b'))).rejects.toThrow();
    expect([cache.saved, cache.chain.deltas]).toEqual([false, 2]);
    rmSync(logOf('one'), { recursive: true });
    writeFileSync(logOf('one'), content);
    await cache.append(delta('c'));
    expect(cache.saved).toBe(true);
    expect((await found()).texts).toEqual(['jws-a a', 'jws-b b', 'jws-c c']);
  });

  describe('of two processes in one folder', () => {
    const contested = expect.objectContaining({ message: expect.stringMatching(/SERVICE_CACHE_DIR/) });
    /** Two caches that have begun with the same bundle and delta. */
    const two = async () => [await chain('a'), (await found()).cache] as const;

    it.each([[['a']], [[]]])('are not mixed where one has written more of them than the %j of both', async (texts) => {
      const one = await chain(...texts);
      const other = (await found()).cache;
      await one.append(delta('b'));
      const before = readFileSync(logOf('one'));
      await expect(other.append(delta('bc'))).rejects.toEqual(contested);
      await expect(other.confirm()).rejects.toEqual(contested);
      expect(readFileSync(logOf('one'))).toEqual(before);
    });

    it('are not put behind the bundle of the other', async () => {
      const [one, other] = await two();
      await write(one, 'two');
      rmSync(logOf('one'), { force: true });
      await expect(other.confirm()).rejects.toEqual(contested);
      await expect(other.append(delta('b'))).rejects.toEqual(contested);
      expect(readdirSync(root)).toEqual(FILES);
      await write(other, 'three');
      expect(await other.confirm()).toBe(true);
      await expect(one.confirm()).rejects.toEqual(contested);
    });

    it('are their own where a kill has left the signatures of two bundles', async () => {
      await chain('a');
      writeFileSync(join(root, 'bundle.jws'), 'jws-two\njws-one\n');
      const { cache } = await found();
      expect(await cache.confirm()).toBe(true);
      await cache.append(delta('b'));
      expect((await found()).texts).toEqual(['jws-a a', 'jws-b b']);
    });
  });

  it.each([
    ['them', () => rmSync(logOf('one'))],
    ['their bundle', () => rmSync(join(root, 'bundle.json'))],
  ])('are missed where somebody removed %s', async (_, remove) => {
    const cache = await chain('a');
    expect(await cache.confirm()).toBe(true);
    remove();
    await expect(cache.append(delta('b'))).rejects.toThrow(/ENOENT/);
    expect(await cache.confirm()).toBe(false);
  });

  it('have nothing to come after where no bundle was written', async () => {
    await expect(new BundleCache(root, 100).append(delta('a'))).rejects.toThrow('no cached bundle');
  });
});
