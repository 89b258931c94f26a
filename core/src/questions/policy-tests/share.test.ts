import { describe, expect, it } from 'vitest';
import { reaches, shareOf } from './share.js';

describe('a share', () => {
  it.each([
    [19_999, 20_000, 99.99, '99.995', true],
    [19_999, 20_000, 99.99, '100', false],
    [19_999, 20_000, 99.99, '99.996', false],
    [2, 3, 66.66, '66.66', true],
    [2, 3, 66.66, '66.67', false],
    [0, 0, 100, '100', true],
    [3, 3, 100, '100.0', true],
  ])('of %d of %d is %f and is held against %s exactly', (covered, total, percent, threshold, reached) => {
    const share = shareOf(Array.from({ length: total }, (_, at) => at < covered));
    expect(share.percent).toBe(percent);
    expect(reaches(share, threshold)).toBe(reached);
  });
});
