import { describe, expect, it } from 'vitest';
import { perHour } from './slope.js';

describe('the growth of memory', () => {
  const at = (values: number[]) => values.map((mib, index) => ({ hours: index / 10, mib }));

  it.each([
    ['none while it stays', [100, 100, 100, 100], 0],
    ['what is added each time', [100, 101, 102, 103], 10],
    ['none where garbage comes and goes', [100, 100, 160, 100, 100, 100, 150, 100], 0],
    ['none of a single sample', [100], 0],
  ])('is %s', (_, values, slope) => {
    expect(perHour(at(values))).toBeCloseTo(slope);
  });
});
