import type { Address } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Staged } from '@authz-service/core/state/change';

/**
 * Larger changes cause a new sort when the list is next read: in a list of a million, each insertion takes half a
 * millisecond.
 */
const IN_PLACE_MAX = 50;

/** The records of each kind in the order of their addresses: sorted when first read, then kept in order. */
export class SortedRecords {
  readonly #lists = new Map<Kind, StoredRecord[]>();

  of(kind: Kind, records: (kind: Kind) => Iterable<StoredRecord>): readonly StoredRecord[] {
    const known = this.#lists.get(kind);
    if (known) return known;
    const list = [...records(kind)];
    list.sort((left, right) => (left.address < right.address ? -1 : 1));
    this.#lists.set(kind, list);
    return list;
  }

  /** Applies a commit. */
  follow({ put, remove }: Staged): void {
    const few = put.length + remove.length <= IN_PLACE_MAX;
    const gone = [...remove, ...put.flatMap(({ previous }) => previous ?? [])];
    for (const { kind, address } of gone) this.#change(kind, few, (list) => list.splice(firstFrom(list, address), 1));
    for (const { record } of put) {
      const { kind, address } = record;
      this.#change(kind, few, (list) => list.splice(firstFrom(list, address), 0, record));
    }
  }

  clear(): void {
    this.#lists.clear();
  }

  #change(kind: Kind, few: boolean, change: (list: StoredRecord[]) => void): void {
    const list = this.#lists.get(kind);
    if (list === undefined) return;
    if (few) change(list);
    else this.#lists.delete(kind);
  }
}

/** The index of the first record whose address is this one or comes after it. */
function firstFrom(sorted: readonly StoredRecord[], address: Address): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.address ?? '') < address) low = middle + 1;
    else high = middle;
  }
  return low;
}
