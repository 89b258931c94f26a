import type { DynamicValue } from '../protocol/messages.js';
import { decodeObject } from './encode.js';
import type { Attributes } from './schema.js';
import type { Values } from './value.js';

/** Terraform asks of ten resources at a time, unless it is told otherwise. */
const HELD_MAX = 256;

/**
 * Configurations as they are decoded. Terraform sends each to be validated, and again to be planned, which is half of
 * what a plan reads; the second time it is the same object, so that what was found out about it still holds.
 */
export class Configurations {
  private readonly held = new Map<string, { attributes: Attributes; values: Values }>();

  /** What is to be validated. */
  first(attributes: Attributes, message: DynamicValue | undefined): Values {
    const values = decodeObject(attributes, message) ?? {};
    if (this.held.size === HELD_MAX) this.held.clear();
    if (message?.msgpack !== undefined) this.held.set(textOf(message.msgpack), { attributes, values });
    return values;
  }

  /** What has been validated, most likely. */
  again(attributes: Attributes, message: DynamicValue | undefined): Values {
    const text = message?.msgpack === undefined ? '' : textOf(message.msgpack);
    const held = this.held.get(text);
    if (held?.attributes !== attributes) return decodeObject(attributes, message) ?? {};
    this.held.delete(text);
    return held.values;
  }
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}
