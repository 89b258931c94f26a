import { describe, expect, it } from 'vitest';
import { equalValues, meanSame } from './equal.js';
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

describe('values that mean the same', () => {
  const moment: Attribute = {
    type: 'string',
    description,
    same: (a, b) => Date.parse(String(a)) === Date.parse(String(b)),
  };
  const of = (nested: 'single' | 'list' | 'set' | 'map'): Attribute => ({
    nested,
    attributes: { name: { type: 'string', description }, moment },
    description,
  });
  const utc = '2027-01-01T00:00:00Z';
  const berlin = '2027-01-01T01:00:00+01:00';
  const item = (name: string, at: Value): Value => ({ name, moment: at });

  it.each<[string, Attribute, Value, Value, boolean]>([
    ['one moment in two zones', moment, utc, berlin, true],
    ['in an object', of('single'), item('a', utc), item('a', berlin), true],
    ['in a list', of('list'), [item('a', utc)], [item('a', berlin)], true],
    ['in a set, in any order', of('set'), [item('a', utc), item('b', utc)], [item('b', berlin), item('a', utc)], true],
    ['in a map', of('map'), { k: item('a', utc) }, { k: item('a', berlin) }, true],
    ['beside another difference', of('set'), [item('a', utc)], [item('b', berlin)], false],
    ['twice on one side', of('set'), [item('a', utc), item('a', berlin)], [item('a', utc), item('b', utc)], false],
    [
      'twice on the other side',
      of('set'),
      [item('a', utc), item('b', utc)],
      [item('a', utc), item('a', berlin)],
      false,
    ],
    ['what is unknown in part', of('set'), [item('a', UNKNOWN)], [item('a', UNKNOWN)], false],
  ])('are found: %s', (_name, attribute, left, right, expected) => {
    expect(meanSame(attribute, left, right)).toBe(expected);
  });
});
