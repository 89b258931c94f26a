import { append } from '@authz-service/core/collections/append';
import { eachInSteps } from '@authz-service/core/concurrency/time-slicing';
import type { Address } from '@authz-service/core/records/address';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Changed, Made } from './kept-by-kind.js';
import { folded } from './name-index.js';
import { SortedTexts } from './sorted-texts.js';

/** Records in one step: some tenths of a millisecond. */
const STEP = 100;

/** The kinds of records that a directory makes. */
export type EntryKind = 'subject' | 'group' | 'group_membership';

/** A record that a directory has made. */
export type EntryRecord = Extract<StoredRecord, { kind: 'subject' | 'group' }>;

/** The entries of one directory. */
class Entries {
  readonly ids = new Map<string, Address>();
  readonly names = new Map<string, Address[]>();
  readonly externalIds = new Map<string, Address[]>();
  readonly order = new SortedTexts();
  memberships = 0;
}

/** The subjects or groups of each directory by the id, the name and the external id of their entries, or the number of its memberships. */
export class EntryIndex implements Made {
  readonly #ofOwner = new Map<string, Entries>();

  static *of(records: readonly StoredRecord[]): Generator<undefined, EntryIndex> {
    const index = new EntryIndex();
    yield* eachInSteps(records, STEP, (record) => index.change({ record, there: true }));
    return index;
  }

  change({ record, there }: Changed): void {
    if (record.kind === 'group_membership' && record.managed_by.startsWith('directory/')) {
      this.#of(record.managed_by).memberships += there ? 1 : -1;
      return;
    }
    if ((record.kind !== 'subject' && record.kind !== 'group') || record.fields.entry === undefined) return;
    if (!record.managed_by.startsWith('directory/')) return;
    const entries = this.#of(record.managed_by);
    const { id, external_id: externalId } = record.fields.entry;
    const name = folded(entryName(record));
    if (there) {
      entries.ids.set(id, record.address);
      entries.order.add(id);
      append(entries.names, name, record.address);
      if (externalId !== undefined) append(entries.externalIds, externalId, record.address);
      return;
    }
    if (entries.ids.get(id) === record.address) {
      entries.ids.delete(id);
      entries.order.delete(id);
    }
    drop(entries.names, name, record.address);
    if (externalId !== undefined) drop(entries.externalIds, externalId, record.address);
  }

  #of(owner: string): Entries {
    const entries = this.#ofOwner.get(owner) ?? new Entries();
    this.#ofOwner.set(owner, entries);
    return entries;
  }

  byId(owner: string, id: string): Address | undefined {
    return this.#ofOwner.get(owner)?.ids.get(id);
  }

  /** Names are compared without upper and lower case. */
  byName(owner: string, name: string): readonly Address[] {
    return this.#ofOwner.get(owner)?.names.get(folded(name)) ?? [];
  }

  byExternalId(owner: string, id: string): readonly Address[] {
    return this.#ofOwner.get(owner)?.externalIds.get(id) ?? [];
  }

  /** How many entries or, of the index of memberships, memberships there are. */
  count(owner: string): number {
    const entries = this.#ofOwner.get(owner);
    return entries === undefined ? 0 : entries.ids.size + entries.memberships;
  }

  /** The addresses of all entries, by the order of their ids. */
  *all(owner: string): Generator<Address, void> {
    const entries = this.#ofOwner.get(owner);
    if (entries === undefined) return;
    for (const id of entries.order.from('')) yield entries.ids.get(id) as Address;
  }
}

/** The `userName` or `displayName` of an entry. */
export function entryName({ kind, fields }: Pick<EntryRecord, 'kind' | 'fields'>): string {
  return fields.entry?.name ?? (kind === 'subject' ? (fields as { id: string }).id : (fields as { name: string }).name);
}

function drop(map: Map<string, Address[]>, key: string, address: Address): void {
  const left = map.get(key)?.filter((each) => each !== address) ?? [];
  if (left.length === 0) map.delete(key);
  else map.set(key, left);
}
