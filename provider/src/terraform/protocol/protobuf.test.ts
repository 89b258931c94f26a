import { describe, expect, it } from 'vitest';
import { bool, bytes, decode, encode, int, map, message, optional, plain, repeated, string } from './protobuf.js';

const inner = { text: plain(1, string, ''), number: plain(2, int, 0) };
const shape = {
  name: plain(1, string, ''),
  count: plain(2, int, 0),
  on: plain(3, bool, false),
  raw: optional(4, bytes),
  choice: optional(5, int),
  inner: optional(6, message(inner)),
  list: repeated(7, message(inner)),
  map: map(8, message(inner)),
};

describe('protobuf', () => {
  it.each([
    ['a string', { name: 'é' }, '0a02c3a9'],
    ['a number of several bytes', { count: 300 }, '10ac02'],
    ['a negative number', { count: -1 }, '10ffffffffffffffffff01'],
    ['a number above 32 bits', { count: 2 ** 40 }, '10808080808020'],
    ['a zero where presence counts', { choice: 0 }, '2800'],
    ['an empty message', { inner: {} }, '3200'],
    ['a repeated message', { list: [{ text: 'a' }, { number: 2 }] }, '3a030a01613a021002'],
    ['a map', { map: { k: { number: 1 } } }, '42070a016b12021001'],
  ])('writes %s as the protocol says, and reads it back', (_name, value, hex) => {
    const encoded = encode(shape, value);
    expect(Buffer.from(encoded).toString('hex')).toBe(hex);
    const read = 'map' in value ? { map: new Map([['k', { text: '', number: 1 }]]) } : value;
    expect(decode(shape, encoded)).toMatchObject(read);
  });

  it('reads absent fields as zero, empty or undefined', () => {
    expect(decode(shape, Buffer.alloc(0))).toEqual({
      name: '',
      count: 0,
      on: false,
      raw: undefined,
      choice: undefined,
      inner: undefined,
      list: [],
      map: new Map(),
    });
  });

  it('passes over fields that it does not know, of every wire type', () => {
    const unknown = '780179010000000000000082010161850101000000';
    expect(decode({ name: shape.name }, Buffer.from(`0a0161${unknown}`, 'hex'))).toEqual({ name: 'a' });
  });

  it('grows for large messages', () => {
    const raw = new Uint8Array(100_000).fill(7);
    expect(decode(shape, encode(shape, { raw, name: 'x' }))).toMatchObject({ raw, name: 'x' });
  });

  it.each([
    ['a field that is cut off', '0a05'],
    ['a varint that does not end', '10ff'],
    ['a wire type that does not fit the field', '0801'],
    ['a wire type that is none', '7b'],
  ])('refuses %s', (_name, hex) => {
    expect(() => decode(shape, Buffer.from(hex, 'hex'))).toThrow();
  });
});
