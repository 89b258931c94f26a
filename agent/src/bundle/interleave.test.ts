import { describe, expect, it } from 'vitest';
import { interleave } from './interleave.js';

/** Steps that each take longer than a slice. */
function* slow(steps: number, seen: string[]): Generator<undefined, string> {
  for (let step = 1; step <= steps; step++) {
    const end = performance.now() + 4;
    while (performance.now() < end);
    seen.push(`step ${step}`);
    yield;
  }
  return 'done';
}

describe('interleave', () => {
  it('lets other work in between the steps', async () => {
    const seen: string[] = [];
    setImmediate(() => seen.push('a request'));
    expect(await interleave(slow(3, seen))).toBe('done');
    expect(seen).toEqual(['step 1', 'a request', 'step 2', 'step 3']);
  });

  it('passes on what a step throws', async () => {
    const broken = function* (): Generator<undefined, never> {
      yield;
      throw new Error('broken');
    };
    await expect(interleave(broken())).rejects.toThrow('broken');
  });
});
