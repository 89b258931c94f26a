import { describe, expect, it } from 'vitest';
import { mergeFields } from './merge-fields.js';

describe('the fields of a record that two people change', () => {
  const before = { name: 'clerk', description: 'a', includes: ['x'] };

  it.each<[string, Record<string, unknown> | undefined, object, object, object, string[]]>([
    ['mine alone', before, { ...before, description: 'b' }, before, { ...before, description: 'b' }, []],
    ['theirs alone', before, before, { ...before, description: 'b' }, { ...before, description: 'b' }, []],
    [
      'one each',
      before,
      { ...before, description: 'b' },
      { ...before, includes: [] },
      { name: 'clerk', description: 'b', includes: [] },
      [],
    ],
    [
      'the same in the same way',
      before,
      { ...before, description: 'b' },
      { ...before, description: 'b' },
      { ...before, description: 'b' },
      [],
    ],
    [
      'the same in two ways',
      before,
      { ...before, description: 'b' },
      { ...before, description: 'c' },
      { ...before, description: 'b' },
      ['description'],
    ],
    [
      'removed by me, changed by them',
      before,
      { name: 'clerk', includes: ['x'] },
      { ...before, description: 'c' },
      { name: 'clerk', includes: ['x'] },
      ['description'],
    ],
    [
      'removed by them alone',
      before,
      before,
      { name: 'clerk', includes: ['x'] },
      { name: 'clerk', includes: ['x'] },
      [],
    ],
    [
      'the order of members',
      { props: { a: 1, b: 2 } },
      { props: { b: 2, a: 1 } },
      { props: { a: 3 } },
      { props: { a: 3 } },
      [],
    ],
    ['what nobody knows from before', undefined, { name: 'x' }, { name: 'y' }, { name: 'x' }, ['name']],
  ])('are merged: %s', (_, base, mine, theirs, merged, fought) => {
    expect(mergeFields(base, { ...mine }, { ...theirs })).toEqual({ merged, fought });
  });
});
