/**
 * MessagePack as Terraform uses it for values: nil, booleans, numbers, strings, binaries, arrays, maps with string
 * keys, and extensions, all of which mean a value that is not known yet.
 */
import { Decoder, Encoder, ExtData, type ExtensionCodecType } from '@msgpack/msgpack';

/** A value that becomes known only during apply. */
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

/** The bytes of a packed null. */
export const NIL = 0xc0;

const UNKNOWN_PACKED = new ExtData(0, new Uint8Array(1));

/** Every extension code means unknown; its payload only narrows what the value may become. */
const extensionCodec: ExtensionCodecType<undefined> = {
  tryToEncode: (value) => (value === UNKNOWN ? UNKNOWN_PACKED : null),
  decode: () => UNKNOWN,
};
const encoder = new Encoder({ extensionCodec, useBigInt64: true });
const decoder = new Decoder({ extensionCodec, useBigInt64: true });

export function pack(value: Packed): Uint8Array {
  return encoder.encode(value);
}

/** Throws if the bytes are not a value. Integers of 64 bits are returned as bigint. */
export function unpack(bytes: Uint8Array): Packed {
  return decoder.decode(bytes) as Packed;
}
