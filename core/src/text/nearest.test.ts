import { describe, expect, it } from 'vitest';
import { nearest } from './nearest.js';

describe('nearest', () => {
  it.each([
    ['a missing letter', 'acountant', ['clerk', 'accountant'], 'accountant'],
    ['two letters that changed places', 'raed', ['write', 'read'], 'read'],
    ['another case', 'Read', ['write', 'read'], 'read'],
    ['the nearer of two', 'roles', ['rule', 'role'], 'role'],
    ['the first of equals', 'rXle', ['rule', 'role'], 'rule'],
    ['a slip in a word of two letters', 'ab', ['ac'], 'ac'],
    ['nothing where all are far', 'accountant', ['clerk', 'auditor'], undefined],
    ['nothing for the word itself', 'read', ['read'], undefined],
    ['nothing without candidates', 'read', [], undefined],
    ['nothing for a word beyond all typing', 'x'.repeat(300), ['x'.repeat(299)], undefined],
  ])('finds %s', (_, word, candidates, expected) => {
    expect(nearest(word, candidates)).toBe(expected);
  });

  it('looks at no more names than others can wait for', () => {
    let seen = 0;
    function* million() {
      for (; seen < 1_000_000; seen++) yield `user/person-${seen.toString(36)}`;
    }
    expect(nearest('user/persan-0', million())).toBe('user/person-0');
    expect(seen).toBeLessThan(100_000);
    seen = 0;
    expect(nearest('x', million())).toBeUndefined();
    expect(seen).toBeLessThan(200_000);
  });
});
