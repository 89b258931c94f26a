/**
 * MessagePack as Terraform uses it for values: nil, booleans, numbers, strings, binaries, arrays, maps with string
 * keys, and extensions, every one of which stands for a value that is not known yet.
 */

/** A value that will be known only during apply. */
export const UNKNOWN: unique symbol = Symbol('unknown');

export type Packed =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | typeof UNKNOWN
  | readonly Packed[]
  | { readonly [key: string]: Packed };

/** The whole of what null is packed as. */
export const NIL = 0xc0;

class Packer {
  private buffer = Buffer.allocUnsafe(512);
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

  private head(byte: number, value: number, bytes: 1 | 2 | 4): void {
    const at = this.reserve(1 + bytes);
    this.buffer[at] = byte;
    this.buffer.writeUIntBE(value, at + 1, bytes);
  }

  private byte(byte: number): void {
    const at = this.reserve(1);
    this.buffer[at] = byte;
  }

  private integer(value: number | bigint): void {
    if (value >= -32 && value < 128) {
      this.byte(Number(value) & 0xff);
      return;
    }
    const at = this.reserve(9);
    if (value >= 0) {
      this.buffer[at] = 0xcf;
      this.buffer.writeBigUInt64BE(BigInt(value), at + 1);
    } else {
      this.buffer[at] = 0xd3;
      this.buffer.writeBigInt64BE(BigInt(value), at + 1);
    }
  }

  private text(value: string): void {
    const bytes = Buffer.byteLength(value, 'utf8');
    if (bytes < 32) this.byte(0xa0 | bytes);
    else if (bytes < 0x100) this.head(0xd9, bytes, 1);
    else if (bytes < 0x10000) this.head(0xda, bytes, 2);
    else this.head(0xdb, bytes, 4);
    const at = this.reserve(bytes);
    this.buffer.write(value, at, 'utf8');
  }

  private binary(value: Uint8Array): void {
    this.head(0xc6, value.length, 4);
    const at = this.reserve(value.length);
    this.buffer.set(value, at);
  }

  private sized(length: number, fix: number, wide: number): void {
    if (length < 16) this.byte(fix | length);
    else if (length < 0x10000) this.head(wide, length, 2);
    else this.head(wide + 1, length, 4);
  }

  pack(value: Packed): void {
    if (value === null) this.byte(NIL);
    else if (value === UNKNOWN) this.head(0xd4, 0, 2);
    else if (typeof value === 'boolean') this.byte(value ? 0xc3 : 0xc2);
    else if (typeof value === 'string') this.text(value);
    else if (typeof value === 'bigint' || Number.isSafeInteger(value)) this.integer(value as number | bigint);
    else if (typeof value === 'number') {
      const at = this.reserve(9);
      this.buffer[at] = 0xcb;
      this.buffer.writeDoubleBE(value, at + 1);
    } else if (value instanceof Uint8Array) this.binary(value);
    else if (isArray(value)) {
      this.sized(value.length, 0x90, 0xdc);
      for (const item of value) this.pack(item);
    } else {
      const keys = Object.keys(value);
      this.sized(keys.length, 0x80, 0xde);
      for (const key of keys) {
        this.text(key);
        this.pack(value[key] as Packed);
      }
    }
  }

  finish(): Buffer {
    return this.buffer.subarray(0, this.length);
  }
}

function isArray(value: Packed): value is readonly Packed[] {
  return Array.isArray(value);
}

/** The octets of one message up to this length are read as text at once, of which the strings in it are parts. */
const SHORT_BYTES = 4096;
const ASCII = /^[\0-\x7f]*$/;

class Unpacker {
  private at = 0;
  private readonly buffer: Buffer;
  /** One character for each octet. */
  private readonly octets: string | undefined;

  constructor(source: Uint8Array) {
    this.buffer = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
    if (source.length <= SHORT_BYTES) this.octets = this.buffer.toString('latin1');
  }

  private uint(bytes: number): number {
    this.at += bytes;
    return this.buffer.readUIntBE(this.at - bytes, bytes);
  }

  private int(bytes: number): number {
    this.at += bytes;
    return this.buffer.readIntBE(this.at - bytes, bytes);
  }

  private wide(value: bigint): number | bigint {
    this.at += 8;
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  }

  /** Goes on behind the next `length` bytes, and gives where they start. */
  private pass(length: number): number {
    if (this.at + length > this.buffer.length) throw new RangeError('malformed msgpack: a value is cut off');
    this.at += length;
    return this.at - length;
  }

  private span(length: number): Buffer {
    const start = this.pass(length);
    return this.buffer.subarray(start, this.at);
  }

  private text(length: number): string {
    const start = this.pass(length);
    const text = this.octets?.slice(start, this.at);
    return text !== undefined && ASCII.test(text) ? text : this.buffer.toString('utf8', start, this.at);
  }

  private array(length: number): Packed[] {
    const items: Packed[] = [];
    for (let index = 0; index < length; index++) items.push(this.unpack());
    return items;
  }

  private map(length: number): { [key: string]: Packed } {
    const map: { [key: string]: Packed } = {};
    for (let index = 0; index < length; index++) {
      const key = String(this.unpack());
      const value = this.unpack();
      if (key !== '__proto__') map[key] = value;
      // It is a member like any other, which an assignment would not make it.
      else Object.defineProperty(map, key, { value, configurable: true, enumerable: true, writable: true });
    }
    return map;
  }

  /** Every extension code means unknown; the payload only narrows what the value may become. */
  private extension(length: number): typeof UNKNOWN {
    this.pass(1 + length);
    return UNKNOWN;
  }

  unpack(): Packed {
    const head = this.uint(1);
    if (head < 0x80) return head;
    if (head < 0x90) return this.map(head & 0x0f);
    if (head < 0xa0) return this.array(head & 0x0f);
    if (head < 0xc0) return this.text(head & 0x1f);
    if (head >= 0xe0) return head - 0x100;
    switch (head) {
      case NIL:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.span(this.uint(1 << (head - 0xc4)));
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return this.extension(this.uint(1 << (head - 0xc7)));
      case 0xca:
        return this.span(4).readFloatBE();
      case 0xcb:
        return this.span(8).readDoubleBE();
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.uint(1 << (head - 0xcc));
      case 0xcf:
        return this.wide(this.buffer.readBigUInt64BE(this.at));
      case 0xd0:
      case 0xd1:
      case 0xd2:
        return this.int(1 << (head - 0xd0));
      case 0xd3:
        return this.wide(this.buffer.readBigInt64BE(this.at));
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return this.extension(1 << (head - 0xd4));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.text(this.uint(1 << (head - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.array(this.uint(2 << (head - 0xdc)));
      case 0xde:
      case 0xdf:
        return this.map(this.uint(2 << (head - 0xde)));
      default:
        throw new RangeError(`malformed msgpack: 0x${head.toString(16)} starts no value`);
    }
  }
}

export function pack(value: Packed): Buffer {
  const packer = new Packer();
  packer.pack(value);
  return packer.finish();
}

/** Throws a RangeError where the bytes are no value. Integers beyond a double's precision come as bigint. */
export function unpack(bytes: Uint8Array): Packed {
  return new Unpacker(bytes).unpack();
}
