import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './json.js';

describe('canonicalJson', () => {
  it.each([
    ['members by UTF-16 code units', { b: 1, a: 2, B: 3 }, '{"B":3,"a":2,"b":1}'],
    ['members that look like numbers as texts', { 10: 'x', 9: 'y' }, '{"10":"x","9":"y"}'],
    ['members within lists and members', [{ b: { d: 1, c: 2 } }, 1], '[{"b":{"c":2,"d":1}},1]'],
    ['nothing for what is undefined', { b: undefined, a: 1 }, '{"a":1}'],
    ['lists in their own order', ['b', 'a'], '["b","a"]'],
    ['null', null, 'null'],
  ])('writes %s', (_, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('says the same value, and does not depend on the order of members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value))).toBe(text);
      }),
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => [key, reversed(member)])
      .toReversed(),
  );
}
