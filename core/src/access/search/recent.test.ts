import { describe, expect, it } from 'vitest';
import { Recent } from './recent.js';

describe('what was used last', () => {
  it('is forgotten, the longest unused first, when it weighs too much', () => {
    const recent = new Recent<string>(9);
    recent.keep('a', 'A', 3);
    recent.keep('b', 'B', 3);
    expect(recent.get('a')).toBe('A');
    recent.keep('c', 'C', 1);
    expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual(['A', undefined, 'C']);
    recent.keep('d', 'D', 20);
    expect(recent.get('d')).toBeUndefined();
  });
});
