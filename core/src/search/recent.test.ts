import { describe, expect, it } from 'vitest';
import { Recent } from './recent.js';

describe('recent lists', () => {
  it('are forgotten, the longest unused first, when they hold too much', () => {
    const recent = new Recent<number>(9);
    recent.keep('a', [1, 2, 3]);
    recent.keep('b', [1, 2, 3]);
    expect(recent.get('a')).toEqual([1, 2, 3]);
    recent.keep('c', [1]);
    expect(['a', 'b', 'c'].map((key) => recent.get(key)?.length)).toEqual([3, undefined, 1]);
    recent.keep('d', Array(20).fill(0));
    expect(recent.get('d')).toBeUndefined();
  });
});
