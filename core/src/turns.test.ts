import { describe, expect, it } from 'vitest';
import { Turns } from './turns.js';

/** A clock that the work itself moves on. */
function bench() {
  let now = 0;
  const turns = new Turns(() => now);
  const seen: string[] = [];
  function* work(name: string, steps: number, msPerStep: number): Generator<undefined, string> {
    for (let step = 1; step <= steps; step++) {
      now += msPerStep;
      seen.push(`${name}${step}`);
      yield;
    }
    return name;
  }
  return { turns, seen, work };
}

describe('work by turns', () => {
  it('is done at once where it is short', async () => {
    const { turns, seen, work } = bench();
    const outcome = turns.run(work('a', 5, 0.1));
    expect(seen).toHaveLength(5);
    expect(await outcome).toBe('a');
  });

  it('lets other work in, and takes one slice in each turn for all of its pieces', async () => {
    const { turns, seen, work } = bench();
    const both = Promise.all([turns.run(work('a', 3, 2)), turns.run(work('b', 3, 2))]);
    const other = () => {
      seen.push('-');
      if (seen.length < 12) setImmediate(other);
    };
    setImmediate(other);
    expect(await both).toEqual(['a', 'b']);
    expect(seen.join(' ')).toMatch(/^a1 a2 - b1 - a3 - b2 - b3\b/);
  });

  it('lets short work through before long work is finished', async () => {
    const { turns, seen, work } = bench();
    const long = turns.run(work('a', 50, 2));
    expect(await turns.run(work('b', 1, 0))).toBe('b');
    expect(seen).not.toContain('a50');
    expect(await long).toBe('a');
  });

  it('passes on what a step throws, and goes on with the rest', async () => {
    const { turns, work } = bench();
    const broken = function* (): Generator<undefined, never> {
      yield;
      throw new Error('broken');
    };
    const good = turns.run(work('a', 4, 2));
    await expect(turns.run(broken())).rejects.toThrow('broken');
    expect(await good).toBe('a');
    expect(await turns.run(work('b', 1, 0))).toBe('b');
  });
});
