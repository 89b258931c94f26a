/**
 * Protocol Buffers (proto3) from tables: a message is an object of fields, a field a number and a codec. The types of
 * messages follow from the tables, so that a field is written once.
 */

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

const INT32_MAX = 0x7fff_ffff;

/** How one value is written and read; `wire` is the wire type of the protocol's encoding. */
interface Codec<In, Out> {
  wire: 0 | 2;
  write(writer: Writer, value: In): void;
  read(reader: Reader): Out;
}

/** One field of a message: how to write the whole field, and how to take one occurrence of it into the message. */
export interface Field<In, Out> {
  number: number;
  wire: 0 | 2;
  initial(): Out;
  write(writer: Writer, value: In): void;
  take(reader: Reader, before: Out): Out;
}

// biome-ignore lint/suspicious/noExplicitAny: the table's own types are inferred; only their bound is open.
export type Shape = { readonly [name: string]: Field<any, any> };

/** What may be given to encode a message: absent fields are left out. */
export type Encodable<S extends Shape> = { [K in keyof S]?: S[K] extends Field<infer In, infer _> ? In : never };
/** What decoding a message gives: absent scalars are zero, lists and maps empty, messages and optionals undefined. */
export type Decoded<S extends Shape> = { [K in keyof S]: S[K] extends Field<infer _, infer Out> ? Out : never };

export class Writer {
  private buffer = Buffer.allocUnsafe(256);
  private length = 0;

  private reserve(bytes: number): number {
    const at = this.length;
    this.length += bytes;
    if (this.length > this.buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.length, this.buffer.length * 2));
      this.buffer.copy(grown, 0, 0, at);
      this.buffer = grown;
    }
    return at;
  }

  varint(value: number): void {
    if (value >= 0 && value <= INT32_MAX) {
      let rest = value;
      for (; rest > 0x7f; rest >>= 7) this.byte((rest & 0x7f) | 0x80);
      this.byte(rest);
      return;
    }
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest > 0x7fn) {
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.byte(Number(rest));
  }

  byte(value: number): void {
    const at = this.reserve(1);
    this.buffer[at] = value;
  }

  bytes(value: Uint8Array): void {
    this.varint(value.length);
    const at = this.reserve(value.length);
    this.buffer.set(value, at);
  }

  tag(number: number, wire: number): void {
    this.varint((number << 3) | wire);
  }

  finish(): Buffer {
    return this.buffer.subarray(0, this.length);
  }
}

export class Reader {
  private at = 0;

  private readonly buffer: Buffer;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.buffer = Buffer.from(buffer, byteOffset, byteLength);
  }

  get done(): boolean {
    return this.at >= this.buffer.length;
  }

  varint(): number {
    const first = this.buffer[this.at] ?? 0x80;
    if (first < 0x80) {
      this.at += 1;
      return first;
    }
    const second = this.buffer[this.at + 1] ?? 0x80;
    if (second < 0x80) {
      this.at += 2;
      return (second << 7) | (first & 0x7f);
    }
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.buffer[this.at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
    throw new Error('malformed protobuf: a varint does not end');
  }

  bytes(): Uint8Array {
    return this.span(this.varint());
  }

  text(): string {
    const start = this.pass(this.varint());
    return this.buffer.toString('utf8', start, this.at);
  }

  private span(length: number): Uint8Array {
    const start = this.pass(length);
    return this.buffer.subarray(start, this.at);
  }

  /** Goes on behind the next `length` bytes, and gives where they start. */
  private pass(length: number): number {
    const start = this.at;
    if (length < 0 || start + length > this.buffer.length) throw new Error('malformed protobuf: a field is cut off');
    this.at += length;
    return start;
  }

  /** Passes over a field that the table does not know. */
  skip(wire: number): void {
    if (wire === VARINT) this.varint();
    else if (wire === FIXED64) this.span(8);
    else if (wire === LENGTH_DELIMITED) this.bytes();
    else if (wire === FIXED32) this.span(4);
    else throw new Error(`malformed protobuf: wire type ${wire}`);
  }
}

export const bool: Codec<boolean, boolean> = {
  wire: VARINT,
  write: (writer, value) => writer.varint(value ? 1 : 0),
  read: (reader) => reader.varint() !== 0,
};

/** int64 and enumerations, as numbers. */
export const int: Codec<number, number> = {
  wire: VARINT,
  write: (writer, value) => writer.varint(value),
  read: (reader) => reader.varint(),
};

export const string: Codec<string, string> = {
  wire: LENGTH_DELIMITED,
  write: (writer, value) => writer.bytes(Buffer.from(value, 'utf8')),
  read: (reader) => reader.text(),
};

export const bytes: Codec<Uint8Array, Uint8Array> = {
  wire: LENGTH_DELIMITED,
  write: (writer, value) => writer.bytes(value),
  read: (reader) => reader.bytes(),
};

/** A message as the value of a field. The shape comes from a function where messages mention each other. */
export function message<S extends Shape>(shape: S | (() => S)): Codec<Encodable<S>, Decoded<S>> {
  const known = () => (typeof shape === 'function' ? shape() : shape);
  return {
    wire: LENGTH_DELIMITED,
    write: (writer, value) => writer.bytes(encode(known(), value)),
    read: (reader) => decode(known(), reader.bytes()),
  };
}

/** A field without presence: zero when absent. It is written whenever given, zero too. */
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
    wire: LENGTH_DELIMITED,
    initial: () => new Map(),
    write(writer, values) {
      for (const [name, item] of Object.entries(values)) {
        const entry = new Writer();
        key.write(entry, name);
        value.write(entry, item);
        writer.tag(number, LENGTH_DELIMITED);
        writer.bytes(entry.finish());
      }
    },
    take(reader, before) {
      const entry = decode({ key, value }, reader.bytes());
      if (entry.value !== undefined) before.set(entry.key, entry.value);
      return before;
    },
  };
}

export function encode<S extends Shape>(shape: S, value: Encodable<S>): Buffer {
  const writer = new Writer();
  for (const name in shape) {
    const given = value[name];
    if (given !== undefined) shape[name]?.write(writer, given);
  }
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

/** Throws where the bytes are no message; unknown fields are passed over. */
export function decode<S extends Shape>(shape: S, buffer: Uint8Array): Decoded<S> {
  const result: { [name: string]: unknown } = {};
  for (const name in shape) result[name] = shape[name]?.initial();
  const numbers = numbersOf(shape);
  const reader = new Reader(buffer);
  while (!reader.done) {
    const tag = reader.varint();
    const name = numbers.get(tag >>> 3);
    const field = name === undefined ? undefined : shape[name];
    if (name === undefined || field === undefined) reader.skip(tag & 7);
    else if (field.wire !== (tag & 7)) throw new Error(`malformed protobuf: field ${name} has wire type ${tag & 7}`);
    else result[name] = field.take(reader, result[name]);
  }
  return result as Decoded<S>;
}
