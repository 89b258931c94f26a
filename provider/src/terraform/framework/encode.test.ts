import { describe, expect, it } from 'vitest';
import { type Packed, pack, unpack } from '../protocol/msgpack.js';
import { decodeObject, encodeObject, isNull } from './encode.js';
import type { Attributes } from './schema.js';
import { UNKNOWN, type Value } from './value.js';

const description = '';
const attributes: Attributes = {
  text: { type: 'string', description },
  number: { type: 'number', description },
  bool: { type: 'bool', description },
  set: { type: { set: 'string' }, description },
  map: { type: { map: { list: 'number' } }, description },
  one: { nested: 'single', attributes: { text: { type: 'string', description } }, description },
  many: { nested: 'list', attributes: { number: { type: 'number', description } }, description },
  named: { nested: 'map', attributes: { bool: { type: 'bool', description } }, description },
};
const nothing = { text: null, number: null, bool: null, set: null, map: null, one: null, many: null, named: null };

describe('encoding by the schema', () => {
  it.each<[string, { [name: string]: Value }, { [name: string]: Packed }]>([
    ['absent attributes as null', {}, {}],
    ['text', { text: 'a' }, { text: 'a' }],
    [
      'unknown in every place',
      { text: UNKNOWN, one: { text: UNKNOWN }, many: [{ number: UNKNOWN }] },
      { text: UNKNOWN, one: { text: UNKNOWN }, many: [{ number: UNKNOWN }] },
    ],
    ['an unknown element', { many: [UNKNOWN, { number: 1 }] }, { many: [UNKNOWN, { number: 1 }] }],
    ['an integer', { number: 5 }, { number: 5 }],
    ['a fraction as text', { number: 0.1 }, { number: '0.1' }],
    ['an integer that a double cannot hold as text', { number: 2n ** 64n }, { number: '18446744073709551616' }],
    ['maps of lists', { map: { a: [1, 2] } }, { map: { a: [1, 2] } }],
    ['nested maps', { named: { x: { bool: true } } }, { named: { x: { bool: true } } }],
    ['an empty list apart from none', { many: [], set: [] }, { many: [], set: [] }],
    ['absent attributes of nested objects', { one: {} }, { one: { text: null } }],
  ])('writes %s', (_name, values, packed) => {
    const encoded = encodeObject(attributes, values);
    expect(unpack(encoded.msgpack ?? Buffer.alloc(0))).toEqual({ ...nothing, ...packed });
    expect(decodeObject(attributes, encoded)).toEqual({
      ...nothing,
      ...values,
      ...('one' in values && values.one !== null && packed.one !== undefined ? { one: packed.one } : {}),
    });
  });

  it.each<[string, Packed, Value]>([
    ['0.1', '0.1', 0.1],
    ['a large integer', '123456789012345678901234567890', 123456789012345678901234567890n],
    ['an integer of 64 bits', 9007199254740993n, 9007199254740993n],
    ['an integer of 64 bits that a double holds', 4294967296n, 4294967296],
    ['an integer as text', '12', 12],
    ['a float', 1.5, 1.5],
  ])('reads %s as Terraform sends it', (_name, packed, value) => {
    expect(decodeObject(attributes, { msgpack: pack({ number: packed }) })).toMatchObject({ number: value });
  });

  it('reads JSON too, and null as no object', () => {
    expect(decodeObject(attributes, { json: Buffer.from('{"text":"a","gone":1}') })).toEqual({ ...nothing, text: 'a' });
    expect(decodeObject(attributes, { msgpack: pack(null) })).toBeNull();
    expect(decodeObject(attributes, undefined)).toBeNull();
    expect(unpack(encodeObject(attributes, null).msgpack ?? Buffer.alloc(0))).toBeNull();
  });

  it.each<[string, { [name: string]: Value }]>([
    ['an attribute that the schema does not have', { other: 1 }],
    ['a number for a text', { text: 1 }],
    ['a text for a list', { many: 'a' }],
    ['a list for a map', { map: [] }],
    ['no number', { number: Number.NaN }],
    ['a text for an object', { one: 'a' }],
    ['an unknown name inside a nested object', { one: { other: 1 } }],
  ])('refuses to write %s', (_name, values) => {
    expect(() => encodeObject(attributes, values)).toThrow(/should be|has no attribute/);
  });
  it.each([
    ['nil', { msgpack: pack(null) }, true],
    ['an object', { msgpack: pack({ text: null }) }, false],
    ['null in JSON', { json: Buffer.from(' null\n') }, true],
    ['an object in JSON', { json: Buffer.from('{"text":null}') }, false],
    ['nothing', undefined, true],
  ])('tells without decoding whether %s is none', (_name, message, none) => {
    expect(isNull(message)).toBe(none);
    expect(decodeObject(attributes, message) === null).toBe(none);
  });
});
