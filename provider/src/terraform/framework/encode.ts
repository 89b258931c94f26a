/**
 * Converts values to and from the wire, always following the schema: an object has every attribute of the schema and no
 * others, an absent one is null, and numbers that a double would round travel as text.
 */
import type { DynamicValue } from '../protocol/messages.js';
import { NIL, type Packed, pack, unpack } from '../protocol/msgpack.js';
import type { Attribute, Attributes, Type } from './schema.js';
import { isList, isObject, UNKNOWN, type Value, type Values } from './value.js';

/**
 * The values of an object, or null if there is none. Terraform sends MessagePack; JSON is the protocol's other form.
 */
export function decodeObject(attributes: Attributes, message: DynamicValue | undefined): Values | null {
  const raw =
    message?.msgpack === undefined
      ? message?.json === undefined
        ? null
        : (JSON.parse(Buffer.from(message.json).toString('utf8')) as Packed)
      : unpack(message.msgpack);
  return raw === null ? null : readObject(attributes, raw, undefined);
}

/** Whether there is no object, without decoding the value. */
export function isNull(message: DynamicValue | undefined): boolean {
  if (message?.msgpack !== undefined) return message.msgpack[0] === NIL;
  return message?.json === undefined || Buffer.from(message.json).toString('utf8').trim() === 'null';
}

export function encodeObject(attributes: Attributes, values: Values | null): DynamicValue {
  return { msgpack: pack(values === null ? null : writeObject(attributes, values, undefined)) };
}

/** An attribute and the attribute that contains it. */
type AttributePlace = { readonly name: string; readonly within: AttributePlace } | undefined;

function pathText(at: AttributePlace): string {
  if (at === undefined) return '';
  return at.within === undefined ? at.name : `${pathText(at.within)}.${at.name}`;
}

function fault(at: AttributePlace, expected: string, value: unknown): Error {
  const found = value === UNKNOWN ? 'an unknown' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  return new Error(`the value of ${pathText(at) || 'the object'} should be ${expected} and is ${found}`);
}

function isRecord(value: Packed | undefined): value is { readonly [key: string]: Packed } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

function readObject(attributes: Attributes, raw: Packed, at: AttributePlace): Values {
  if (!isRecord(raw)) throw fault(at, 'an object', raw);
  const values: { [name: string]: Value } = {};
  for (const name in attributes) {
    const value = Object.hasOwn(raw, name) ? (raw[name] ?? null) : null;
    values[name] = readAttribute(attributes[name] as Attribute, value, { name, within: at });
  }
  return values;
}

function readAttribute(attribute: Attribute, raw: Packed, at: AttributePlace): Value {
  if ('type' in attribute) return readTyped(attribute.type, raw, at);
  const object = (item: Packed) =>
    item === null ? null : item === UNKNOWN ? UNKNOWN : readObject(attribute.attributes, item, at);
  if (attribute.nested === 'single') return object(raw);
  return readCollection(attribute.nested === 'map', raw, object, at);
}

function readTyped(type: Type, raw: Packed, at: AttributePlace): Value {
  if (raw === null || raw === UNKNOWN) return raw;
  if (type === 'number') return readNumber(raw, at);
  if (type === 'string' || type === 'bool') {
    if (typeof raw !== (type === 'bool' ? 'boolean' : 'string')) throw fault(at, `a ${type}`, raw);
    return raw as string | boolean;
  }
  const [kind, item] = Object.entries(type)[0] as [string, Type];
  return readCollection(kind === 'map', raw, (value) => readTyped(item, value, at), at);
}

function readCollection(isMap: boolean, raw: Packed, read: (item: Packed) => Value, at: AttributePlace): Value {
  if (raw === null || raw === UNKNOWN) return raw;
  if (isMap && isRecord(raw)) return Object.fromEntries(Object.entries(raw).map(([key, item]) => [key, read(item)]));
  if (!isMap && Array.isArray(raw)) return raw.map(read);
  throw fault(at, isMap ? 'a map' : 'a list', raw);
}

/** Terraform writes numbers that a 64-bit integer or float cannot hold exactly as decimal text; 0.1 is one of them. */
function readNumber(raw: Packed, at: AttributePlace): number | bigint {
  if (typeof raw === 'number') return raw;
  if (typeof raw === 'bigint') return Number.isSafeInteger(Number(raw)) ? Number(raw) : raw;
  if (typeof raw !== 'string') throw fault(at, 'a number', raw);
  const near = Number(raw);
  return /^-?\d+$/.test(raw) && !Number.isSafeInteger(near) ? BigInt(raw) : near;
}

function writeObject(attributes: Attributes, values: Values, at: AttributePlace): Packed {
  for (const name of Object.keys(values)) {
    if (!Object.hasOwn(attributes, name))
      throw new Error(`the schema has no attribute ${pathText({ name, within: at })}`);
  }
  const packed: { [name: string]: Packed } = {};
  for (const name in attributes) {
    packed[name] = writeAttribute(attributes[name] as Attribute, values[name] ?? null, { name, within: at });
  }
  return packed;
}

function writeAttribute(attribute: Attribute, value: Value, at: AttributePlace): Packed {
  if ('type' in attribute) return writeTyped(attribute.type, value, at);
  const object = (item: Value) => {
    if (item === null || item === UNKNOWN) return item;
    if (!isObject(item)) throw fault(at, 'an object', item);
    return writeObject(attribute.attributes, item, at);
  };
  if (attribute.nested === 'single') return object(value);
  return writeCollection(attribute.nested === 'map', value, object, at);
}

function writeTyped(type: Type, value: Value, at: AttributePlace): Packed {
  if (value === null || value === UNKNOWN) return value;
  if (type === 'number') {
    if (typeof value === 'bigint') return value.toString();
    if (typeof value !== 'number' || !Number.isFinite(value)) throw fault(at, 'a finite number', value);
    return Number.isSafeInteger(value) ? value : String(value);
  }
  if (type === 'string' || type === 'bool') {
    if (typeof value !== (type === 'bool' ? 'boolean' : 'string')) throw fault(at, `a ${type}`, value);
    return value as string | boolean;
  }
  const [kind, item] = Object.entries(type)[0] as [string, Type];
  return writeCollection(kind === 'map', value, (element) => writeTyped(item, element, at), at);
}

function writeCollection(isMap: boolean, value: Value, write: (item: Value) => Packed, at: AttributePlace): Packed {
  if (value === null || value === UNKNOWN) return value;
  if (isMap && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, write(item)]));
  }
  if (!isMap && isList(value)) return value.map(write);
  throw fault(at, isMap ? 'a map' : 'a list', value);
}
