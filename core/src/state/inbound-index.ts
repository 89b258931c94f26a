import type { Address } from '../records/address.js';
import { type DeclaredRecord, referencesOf } from '../records/registry.js';

const NONE: readonly Address[] = [];

/** Who mentions whom. Most records are mentioned by few: a single mention is kept bare, without a set around it. */
export class InboundIndex {
  readonly #sources = new Map<Address, Address | Set<Address>>();

  add(record: DeclaredRecord): void {
    for (const { target } of referencesOf(record.kind, record.fields)) {
      const present = this.#sources.get(target);
      if (present === undefined) this.#sources.set(target, record.address);
      else if (present instanceof Set) present.add(record.address);
      else if (present !== record.address) this.#sources.set(target, new Set([present, record.address]));
    }
  }

  remove(record: DeclaredRecord): void {
    for (const { target } of referencesOf(record.kind, record.fields)) {
      const present = this.#sources.get(target);
      if (present === record.address) this.#sources.delete(target);
      else if (present instanceof Set) {
        present.delete(record.address);
        if (present.size === 0) this.#sources.delete(target);
      }
    }
  }

  /** The addresses of the records that mention this one. */
  of(address: Address): Iterable<Address> {
    const present = this.#sources.get(address);
    if (present === undefined) return NONE;
    return present instanceof Set ? present : [present];
  }
}
