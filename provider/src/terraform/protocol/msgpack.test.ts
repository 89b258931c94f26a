import { describe, expect, it } from 'vitest';
import { type Packed, pack, UNKNOWN, unpack } from './msgpack.js';

const hexOf = (value: Packed) => Buffer.from(pack(value)).toString('hex');

describe('msgpack', () => {
  it.each([
    ['the plain form', 'd40000'],
    ['another code', 'd40c00'],
    ['a refined one', 'c7030c8101c3'],
    ['two bytes', 'd5000000'],
    ['a long payload', `c8000c0c${'00'.repeat(12)}`],
  ])('takes an extension as unknown: %s', (_name, hex) => {
    expect(unpack(Buffer.from(`92${hex}01`, 'hex'))).toEqual([UNKNOWN, 1]);
  });

  it('writes unknown in the plain form, wherever it stands', () => {
    expect(hexOf(UNKNOWN)).toBe('d40000');
    expect(hexOf({ a: [UNKNOWN, null] })).toBe('81a16192d40000c0');
  });

  it.each([2n ** 63n, -(2n ** 60n)])('keeps the integer %s, which a double cannot hold', (value) => {
    expect(unpack(pack(value))).toBe(value);
  });

  it.each<[string, Packed]>([
    ['nothing', null],
    ['text of many bytes', 'ä'.repeat(70_000)],
    ['a long list', Array.from({ length: 70_000 }, (_item, index) => index)],
    ['binary', new Uint8Array([1, 2])],
    ['objects in objects', { a: { b: [{ c: -0.5 }, true] }, constructor: 1 }],
  ])('holds %s', (_name, value) => {
    expect(unpack(pack(value))).toEqual(value);
  });

  it.each(['a3', 'c1', '91', '81a161', 'cd01', '81a95f5f70726f746f5f5f01'])(
    'refuses what is cut off, no value, or a key that objects cannot hold: %s',
    (hex) => {
      expect(() => unpack(Buffer.from(hex, 'hex'))).toThrow();
    },
  );
});
