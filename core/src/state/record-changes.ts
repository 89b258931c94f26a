import type { RecordChange } from '../access/api/engine.js';
import type { Address } from '../records/address.js';
import { isDistributed } from '../records/kinds.js';
import type { StoredRecord } from '../records/registry.js';
import type { Staged } from './change.js';

/** A change of one address, by stored records. */
export interface StoredChange extends RecordChange {
  before?: StoredRecord;
  after?: StoredRecord;
}

/**
 * The change of each address by a change-set, without credentials. A moved record leaves one address and appears at
 * another.
 */
export function recordChangesOf({ put, remove }: Staged): StoredChange[] {
  const changes = new Map<Address, StoredChange>();
  const note = (record: StoredRecord, side: keyof StoredChange) => {
    if (isDistributed(record)) changes.set(record.address, { ...changes.get(record.address), [side]: record });
  };
  for (const record of remove) note(record, 'before');
  for (const { previous } of put) if (previous !== undefined) note(previous, 'before');
  for (const { record } of put) note(record, 'after');
  return [...changes.values()];
}
