import { decode as referenceDecode, encode as referenceEncode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pack, UNKNOWN, unpack } from './msgpack.js';

describe('msgpack', () => {
  /** The other implementation refuses this key; below, ours is seen to take it. */
  const readable = (value: unknown) => !JSON.stringify(value).includes('"__proto__":');

  it('writes what another implementation reads, and reads what it writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }).filter(readable), (value) => {
        expect(JSON.stringify(referenceDecode(pack(value as never)))).toBe(JSON.stringify(value));
        expect(JSON.stringify(unpack(referenceEncode(value)))).toBe(JSON.stringify(value));
      }),
    );
  });

  it.each([
    0,
    127,
    128,
    255,
    256,
    65_535,
    65_536,
    2 ** 32 - 1,
    2 ** 32,
    -1,
    -32,
    -33,
    -128,
    -129,
    -32_768,
    -32_769,
    -(2 ** 31) - 1,
  ])('reads the integer %i in the form that another implementation chose', (value) => {
    expect(unpack(referenceEncode(value))).toBe(value);
    expect(unpack(pack(value))).toBe(value);
  });

  it.each([2n ** 63n, -(2n ** 60n)])('keeps the integer %s, which a double cannot hold', (value) => {
    expect(unpack(pack(value))).toBe(value);
  });

  it.each([
    ['the plain form', 'd40000'],
    ['another code', 'd40c00'],
    ['a refined one', 'c7030c8101c3'],
    ['two bytes', 'd5000000'],
    ['a long payload', `c8000c0c${'00'.repeat(12)}`],
  ])('takes an extension as unknown: %s', (_name, hex) => {
    expect(unpack(Buffer.from(`92${hex}01`, 'hex'))).toEqual([UNKNOWN, 1]);
  });

  it('writes unknown in the plain form', () => {
    expect(pack(UNKNOWN).toString('hex')).toBe('d40000');
  });

  it.each([15, 16, 31, 32, 255, 256, 65_535, 65_536])('holds strings, lists and maps of %i', (size) => {
    const list = Array.from({ length: size }, (_item, index) => index);
    const map = Object.fromEntries(list.map((index) => [`k${index}`, index]));
    expect(unpack(pack('x'.repeat(size)))).toBe('x'.repeat(size));
    expect(referenceDecode(pack(list))).toEqual(list);
    expect(referenceDecode(pack(map))).toEqual(map);
    expect(unpack(referenceEncode(map))).toEqual(map);
  });

  it('takes any name for a member', () => {
    const value = unpack(pack(JSON.parse('{"__proto__": 1, "constructor": 2}')));
    expect(Object.entries(value as object)).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ]);
  });

  it.each(['a3', 'c1', '91', '81a161', 'cd01'])('refuses what is cut off or no value: %s', (hex) => {
    expect(() => unpack(Buffer.from(hex, 'hex'))).toThrow(RangeError);
  });
});
