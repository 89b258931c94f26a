import type { ChangedRecord } from '../../../access/universe/record-changes.js';
import { append } from '../../../collections/append.js';
import type { Address } from '../../../records/address.js';
import { type Fields, referencesOf } from '../../../records/registry.js';

/**
 * Which changes can be made without which others: what is added needs what it mentions, and what goes takes with it what
 * mentioned it.
 */
export class Dependencies {
  readonly #byAddress = new Map<Address, ChangedRecord>();
  /** The changes that a change needs. */
  readonly #needs = new Map<ChangedRecord, readonly ChangedRecord[]>();
  #neededBy: Map<ChangedRecord, ChangedRecord[]> | undefined;
  /** The changes that mention a record before. */
  readonly #mentioning = new Map<Address, ChangedRecord[]>();

  constructor(changes: readonly ChangedRecord[]) {
    for (const change of changes) {
      this.#byAddress.set(change.address, change);
      for (const target of mentions(change.before)) {
        append(this.#mentioning, target, change);
      }
    }
  }

  #needed(change: ChangedRecord): readonly ChangedRecord[] {
    let needed = this.#needs.get(change);
    if (needed === undefined) {
      const added = [...mentions(change.after)].map((target) => this.#byAddress.get(target));
      const made = added.filter((one) => one !== undefined && one.before === undefined) as ChangedRecord[];
      const gone =
        change.after === undefined
          ? (this.#mentioning.get(change.address) ?? []).filter((one) => !mentions(one.after).has(change.address))
          : [];
      needed = [...made, ...gone].filter((one) => one !== change);
      this.#needs.set(change, needed);
    }
    return needed;
  }

  /** These changes with all that they need. */
  closed(changes: Iterable<ChangedRecord>): Set<ChangedRecord> {
    const found = new Set(changes);
    for (const one of found) for (const needed of this.#needed(one)) found.add(needed);
    return found;
  }

  /** The changes of a closed set that are left without these, and without those that need them. */
  without(set: ReadonlySet<ChangedRecord>, gone: readonly ChangedRecord[]): Set<ChangedRecord> {
    const left = new Set(set);
    for (const one of gone) left.delete(one);
    const going = [...gone];
    for (const one of going) for (const other of this.#needing(one)) if (left.delete(other)) going.push(other);
    return left;
  }

  /** The changes of a set that no other of it needs. */
  tops(set: ReadonlySet<ChangedRecord>): ChangedRecord[] {
    return [...set].filter((one) => !this.#needing(one).some((other) => set.has(other)));
  }

  /** The changes that need a change. */
  #needing(change: ChangedRecord): readonly ChangedRecord[] {
    if (this.#neededBy === undefined) {
      this.#neededBy = new Map();
      for (const one of this.#byAddress.values())
        for (const needed of this.#needed(one)) append(this.#neededBy, needed, one);
    }
    return this.#neededBy.get(change) ?? [];
  }
}

const NOTHING: ReadonlySet<Address> = new Set();

function mentions(record: ChangedRecord['before']): ReadonlySet<Address> {
  if (record === undefined) return NOTHING;
  return new Set(referencesOf(record.kind, record.fields as Fields).map(({ target }) => target));
}
