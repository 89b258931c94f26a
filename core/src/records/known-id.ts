import type { Address } from './address.js';

/** The id of a record's own that the cloud gave it. A record of a tree has none, or its address in place of one. */
export function knownIdOf({ id, address }: { readonly id?: string | undefined; readonly address: Address }) {
  return id === address ? undefined : id;
}
