import type { DynamicValue } from '../protocol/messages.js';
import { decodeObject } from './encode.js';
import type { Attributes } from './schema.js';
import type { Values } from './value.js';

/** Terraform works on ten resources at a time by default. */
const HELD_MAX = 256;

/**
 * Decoded configurations. Terraform sends each one twice, to be validated and to be planned, which is half of what a
 * plan reads. The second time gives the same object, so that what was found out about it still holds.
 */
export class Configurations {
  private readonly held = new Map<string, { attributes: Attributes; values: Values }>();

  /** A configuration that is about to be validated. */
  first(attributes: Attributes, message: DynamicValue | undefined): Values {
    const values = decodeObject(attributes, message) ?? {};
    if (this.held.size === HELD_MAX) this.held.clear();
    if (message?.msgpack !== undefined) this.held.set(textOf(message.msgpack), { attributes, values });
    return values;
  }

  /** A configuration that has most likely been validated. */
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
