import { describe, expect, it } from 'vitest';
import { TimeSlicing } from './time-slicing.js';

/** A clock that the work itself moves on. */
function bench() {
  let now = 0;
  const slicing = new TimeSlicing(() => now);
  const seen: string[] = [];
  function* work(name: string, steps: number, msPerStep: number): Generator<undefined, string> {
    for (let step = 1; step <= steps; step++) {
      now += msPerStep;
      seen.push(`${name}${step}`);
      yield;
    }
    return name;
  }
  return { slicing, seen, work };
}

describe('work by turns', () => {
  it('is done at once where it is short', async () => {
    const { slicing, seen, work } = bench();
    const outcome = slicing.run(work('a', 5, 0.1));
    expect(seen).toHaveLength(5);
    expect(await outcome).toBe('a');
  });

  it('lets other work in, and takes one slice in each turn for all of its pieces', async () => {
    const { slicing, seen, work } = bench();
    const both = Promise.all([slicing.run(work('a', 3, 1)), slicing.run(work('b', 3, 1))]);
    const other = () => {
      seen.push('-');
      if (seen.length < 12) setImmediate(other);
    };
    setImmediate(other);
    expect(await both).toEqual(['a', 'b']);
    expect(seen.join(' ')).toMatch(/^a1 a2 - b1 - a3 - b2 - b3\b/);
  });

  it('lets short work through before long work is finished', async () => {
    const { slicing, seen, work } = bench();
    const long = slicing.run(work('a', 50, 2));
    expect(await slicing.run(work('b', 1, 0))).toBe('b');
    expect(seen).not.toContain('a50');
    expect(await long).toBe('a');
  });

  it('lets an owner of little through before the next piece of one who brings much', async () => {
    const { slicing, seen, work } = bench();
    const many = Array.from({ length: 10 }, () => slicing.run(work('a', 1, 5), 'a'));
    const few = slicing.run(work('b', 1, 0.1), 'b');
    // Only the first was done at once: it used up the slice of this turn of the event loop.
    expect(seen).toEqual(['a1']);
    await few;
    expect(seen).toEqual(['a1', 'b1']);
    const [c, d] = [slicing.run(work('c', 1, 5), 'c'), slicing.run(work('d', 1, 0.1), 'd')];
    await Promise.all([c, d]);
    expect(seen.filter((name) => name === 'a1').length).toBeLessThan(5);
    await Promise.all(many);
  });

  it('gives two owners who bring much the same time, whatever their steps take', async () => {
    const { slicing, seen, work } = bench();
    const both = [slicing.run(work('a', 100, 5), 'a'), slicing.run(work('b', 100, 1), 'b')];
    await both[1];
    const took = seen.filter((name) => name.startsWith('a')).length * 5;
    expect(took).toBeGreaterThan(80);
    expect(took).toBeLessThan(120);
    await both[0];
  });

  it('lets turns pass after a step that took as long as several slices', async () => {
    const { slicing, seen, work } = bench();
    const long = slicing.run(work('a', 2, 6), 'a');
    for (let passed = 0; passed < 3; passed++) {
      expect(seen).toEqual(['a1']);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await long;
    expect(seen).toEqual(['a1', 'a2']);
  });

  it('passes on what a step throws, and goes on with the rest', async () => {
    const { slicing, work } = bench();
    const broken = function* (): Generator<undefined, never> {
      yield;
      throw new Error('broken');
    };
    const good = slicing.run(work('a', 4, 2));
    await expect(slicing.run(broken())).rejects.toThrow('broken');
    expect(await good).toBe('a');
    expect(await slicing.run(work('b', 1, 0))).toBe('b');
  });
});
