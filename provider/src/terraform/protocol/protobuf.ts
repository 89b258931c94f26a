/**
 * Protocol Buffers messages (proto3) as tables: a message is an object of fields, and a field is a number and a codec.
 * The types of messages are inferred from the tables, so each field is written once. `@bufbuild/protobuf` reads and
 * writes the bytes.
 */
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** Reads and writes one value; `wire` is its wire type in the protocol's encoding. */
interface Codec<In, Out> {
  wire: WireType;
  write(writer: BinaryWriter, value: In): unknown;
  read(reader: BinaryReader): Out;
}

/** One field of a message: writes the whole field, and merges one occurrence of it into the message. */
export interface Field<In, Out> {
  number: number;
  wire: WireType;
  initial(): Out;
  write(writer: BinaryWriter, value: In): void;
  take(reader: BinaryReader, before: Out): Out;
}

// biome-ignore lint/suspicious/noExplicitAny: the table's own types are inferred; only their bound is open.
export type Shape = { readonly [name: string]: Field<any, any> };

/** A message to encode; absent fields are left out. */
export type Encodable<S extends Shape> = { [K in keyof S]?: S[K] extends Field<infer In, infer _> ? In : never };
/** A decoded message: absent scalars are zero, lists and maps are empty, messages and optional fields are undefined. */
export type Decoded<S extends Shape> = { [K in keyof S]: S[K] extends Field<infer _, infer Out> ? Out : never };

export const bool: Codec<boolean, boolean> = {
  wire: WireType.Varint,
  write: (writer, value) => writer.bool(value),
  read: (reader) => reader.bool(),
};

/** int64 and enumerations, as numbers. */
export const int: Codec<number, number> = {
  wire: WireType.Varint,
  write: (writer, value) => writer.int64(value),
  read: (reader) => Number(reader.int64()),
};

export const string: Codec<string, string> = {
  wire: WireType.LengthDelimited,
  write: (writer, value) => writer.string(value),
  read: (reader) => reader.string(),
};

export const bytes: Codec<Uint8Array, Uint8Array> = {
  wire: WireType.LengthDelimited,
  write: (writer, value) => writer.bytes(value),
  read: (reader) => reader.bytes(),
};

/** A message as the value of a field. A function returns its shape, because messages may refer to each other. */
export function message<S extends Shape>(shape: S | (() => S)): Codec<Encodable<S>, Decoded<S>> {
  const known = () => (typeof shape === 'function' ? shape() : shape);
  return {
    wire: WireType.LengthDelimited,
    write(writer, value) {
      writer.fork();
      writeFields(known(), writer, value);
      writer.join();
    },
    read: (reader) => decode(known(), reader.bytes()),
  };
}

/** A field without presence, which is zero when absent. It is written whenever it is given, even if it is zero. */
export function plain<In, Out>(number: number, codec: Codec<In, Out>, zero: Out): Field<In, Out> {
  return { ...optional(number, codec), initial: () => zero } as Field<In, Out>;
}

/** A field with presence: messages, members of a oneof and `optional` ones. */
export function optional<In, Out>(number: number, codec: Codec<In, Out>): Field<In, Out | undefined> {
  return {
    number,
    wire: codec.wire,
    initial: () => undefined,
    write(writer, value) {
      writer.tag(number, codec.wire);
      codec.write(writer, value);
    },
    take: (reader) => codec.read(reader),
  };
}

export function repeated<In, Out>(number: number, codec: Codec<In, Out>): Field<readonly In[], Out[]> {
  return {
    number,
    wire: codec.wire,
    initial: () => [],
    write(writer, values) {
      for (const value of values) {
        writer.tag(number, codec.wire);
        codec.write(writer, value);
      }
    },
    take(reader, before) {
      before.push(codec.read(reader));
      return before;
    },
  };
}

/** `map<string, T>`: on the wire a repeated message of key and value. */
export function map<In, Out>(number: number, codec: Codec<In, Out>): Field<{ [key: string]: In }, Map<string, Out>> {
  const key = plain(1, string, '');
  const value = optional(2, codec);
  return {
    number,
    wire: WireType.LengthDelimited,
    initial: () => new Map(),
    write(writer, values) {
      for (const [name, item] of Object.entries(values)) {
        writer.tag(number, WireType.LengthDelimited).fork();
        key.write(writer, name);
        value.write(writer, item);
        writer.join();
      }
    },
    take(reader, before) {
      const entry = decode({ key, value }, reader.bytes());
      if (entry.value !== undefined) before.set(entry.key, entry.value);
      return before;
    },
  };
}

function writeFields<S extends Shape>(shape: S, writer: BinaryWriter, value: Encodable<S>): void {
  for (const name in shape) {
    const given = value[name];
    if (given !== undefined) shape[name]?.write(writer, given);
  }
}

export function encode<S extends Shape>(shape: S, value: Encodable<S>): Uint8Array {
  const writer = new BinaryWriter();
  writeFields(shape, writer, value);
  return writer.finish();
}

const byNumber = new WeakMap<Shape, Map<number, string>>();

function numbersOf(shape: Shape): Map<number, string> {
  let numbers = byNumber.get(shape);
  if (numbers === undefined) {
    numbers = new Map(Object.entries(shape).map(([name, field]) => [field.number, name]));
    byNumber.set(shape, numbers);
  }
  return numbers;
}

/** Throws if the bytes are not a message; unknown fields are skipped. */
export function decode<S extends Shape>(shape: S, buffer: Uint8Array): Decoded<S> {
  const result: { [name: string]: unknown } = {};
  for (const name in shape) result[name] = shape[name]?.initial();
  const numbers = numbersOf(shape);
  const reader = new BinaryReader(buffer);
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    const name = numbers.get(number);
    const field = name === undefined ? undefined : shape[name];
    if (name === undefined || field === undefined) reader.skip(wire, number);
    else if (field.wire !== wire) throw new Error(`malformed protobuf: field ${name} has wire type ${wire}`);
    else result[name] = field.take(reader, result[name]);
  }
  return result as Decoded<S>;
}
