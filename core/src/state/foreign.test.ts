import { describe, expect, it } from 'vitest';
import type { ProblemError } from '../problem.js';
import { type Foreign, refuseForeign } from './foreign.js';

const owned = (owner: string, ...names: string[]): Foreign[] =>
  names.map((name, index) => ({ pointer: `/changes/${index}`, address: `role/${name}`, owner }));

describe('refuseForeign', () => {
  it('lets pass where there are none', () => {
    expect(() => refuseForeign([], 'main', 'there')).not.toThrow();
  });

  it.each<[string, Foreign[], 'there' | 'in the tree', string]>([
    [
      'one record by its address',
      owned('hr', 'a'),
      'there',
      '"role/a" belongs to the stack "hr", not to "main": change it there, or take it over with --take-ownership.',
    ],
    [
      'several by their number',
      owned('hr', 'a', 'b'),
      'in the tree',
      '2 records belong to the stack "hr", not to "main": remove them from this tree, or take them over with --take-ownership.',
    ],
    [
      'an application that a tree adds to',
      [{ pointer: '/changes/0', address: 'application/shop', owner: 'hr' }],
      'in the tree',
      '"application/shop" belongs to the stack "hr", not to "main": list it under "external" to add to it, or take it over with --take-ownership.',
    ],
    [
      'several owners',
      [...owned('hr', 'a'), ...owned('it', 'b')],
      'there',
      '2 records belong to the stacks "hr", "it", not to "main": change them there, or take them over with --take-ownership.',
    ],
  ])('says once what is wrong with %s', (_, foreign, where, detail) => {
    expect(() => refuseForeign(foreign, 'main', where)).toThrow(expect.objectContaining({ code: 'not_owner', detail }));
  });

  it('lists the records with their owners, up to a hundred', () => {
    const names = Array.from({ length: 101 }, (_, index) => `r${index}`);
    let thrown: ProblemError | undefined;
    try {
      refuseForeign(owned('hr', ...names), 'main', 'there');
    } catch (error) {
      thrown = error as ProblemError;
    }
    expect(thrown?.errors).toHaveLength(100);
    expect(thrown?.errors[0]).toEqual({
      pointer: '/changes/0',
      detail: 'belongs to the stack "hr"',
      address: 'role/r0',
    });
  });
});
