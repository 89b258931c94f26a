import { beforeEach, describe, expect, it } from 'vitest';
import { ReadingLine } from './reading-line.js';

let now: number;
let begun: string[];
let ends: Map<string, () => void>;
let line: ReadingLine<string>;
const bounds = { atOnce: 2, waitMs: 600_000, waitingMax: 3 };
const reading = (tenant: string) => () => {
  begun.push(tenant);
  return new Promise<string>((resolve) => ends.set(tenant, () => resolve(tenant)));
};
const ask = (tenant: string) => line.run(tenant, reading(tenant));
const end = async (tenant: string) => {
  ends.get(tenant)?.();
  await new Promise(setImmediate);
};

beforeEach(() => {
  now = 0;
  begun = [];
  ends = new Map();
  line = new ReadingLine(() => now, bounds);
});

describe('tenants that wait to be read', () => {
  it('are read a few at a time, in the order in which they were first asked for', async () => {
    const asked = ['a', 'b', 'c', 'c', 'c', 'd'].map(ask);
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    for (const tenant of ['a', 'c', 'd']) await end(tenant);
    expect(await Promise.all(asked)).toEqual(['a', 'b', 'c', 'c', 'c', 'd']);
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('make way when one fails', async () => {
    const failing = ['a', 'b'].map((tenant) => line.run(tenant, () => Promise.reject(new Error(tenant))));
    const third = ask('c');
    expect(await Promise.allSettled(failing)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    await end('c');
    expect(await third).toBe('c');
  });

  it('keep their place when who asked is refused, and come back', async () => {
    line = new ReadingLine(() => now, { ...bounds, waitMs: 0 });
    const [a] = [ask('a'), ask('b')];
    await expect(ask('c')).rejects.toMatchObject({ code: 'not_ready', retryAfterSeconds: 2 });
    await expect(ask('d')).rejects.toMatchObject({ code: 'not_ready' });
    now = 29_000;
    await expect(ask('c')).rejects.toMatchObject({ code: 'not_ready' });
    now = 31_000;
    await end('a');
    expect(await a).toBe('a');
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('b');
    // Nobody has come back for the last one.
    expect(begun).toEqual(['a', 'b', 'c']);
    const again = ask('d');
    await end('d');
    expect(await again).toBe('d');
  });

  it('hold so many requests each', async () => {
    const held = ['a', 'b', 'c', 'c', 'c', 'd'].map(ask);
    await expect(ask('c')).rejects.toMatchObject({ code: 'not_ready' });
    for (const tenant of ['a', 'b', 'c', 'd']) await end(tenant);
    await Promise.all(held);
  });
});
