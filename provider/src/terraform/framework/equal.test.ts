import { describe, expect, it } from 'vitest';
import { equalValues } from './equal.js';
import type { Attribute } from './schema.js';
import { UNKNOWN, type Value } from './value.js';

const description = '';
const text = { type: 'string' as const, description };
const nested = (kind: 'single' | 'list' | 'set' | 'map'): Attribute => ({
  nested: kind,
  attributes: { text },
  description,
});

describe('values of an attribute', () => {
  it.each<[string, Attribute, Value, Value, boolean]>([
    ['texts', text, 'a', 'a', true],
    ['a text and none', text, '', null, false],
    ['unknown ones', text, UNKNOWN, UNKNOWN, false],
    ['unknown nested ones', nested('single'), UNKNOWN, UNKNOWN, false],
    ['lists with an unknown item', { type: { list: 'string' }, description }, [UNKNOWN], [UNKNOWN], false],
    ['lists in another order', { type: { list: 'string' }, description }, ['a', 'b'], ['b', 'a'], false],
    ['sets in another order', { type: { set: 'string' }, description }, ['a', 'b'], ['b', 'a'], true],
    ['sets of another size', { type: { set: 'string' }, description }, ['a', 'b'], ['a'], false],
    ['maps in another order', { type: { map: 'number' }, description }, { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['maps with another name', { type: { map: 'number' }, description }, { a: 1 }, { b: 1 }, false],
    [
      'nested sets in another order',
      nested('set'),
      [{ text: 'a' }, { text: 'b' }],
      [{ text: 'b' }, { text: 'a' }],
      true,
    ],
    ['nested lists', nested('list'), [{ text: 'a' }], [{ text: 'b' }], false],
    ['nested maps', nested('map'), { k: { text: 'a' } }, { k: { text: 'a' } }, true],
    ['absent and null members', nested('single'), {}, { text: null }, true],
    ['none and an empty list', nested('list'), null, [], false],
  ])('are compared: %s', (_name, attribute, left, right, expected) => {
    expect(equalValues(attribute, left, right)).toBe(expected);
  });
});
