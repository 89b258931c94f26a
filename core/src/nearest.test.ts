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
});
