import { finished } from '../concurrency/time-slicing.js';
import type { Address } from '../records/address.js';
import { InboundIndex } from '../records/inbound-index.js';
import type { DeclaredRecord, Fields, StoredRecord } from '../records/registry.js';
import { Faults } from '../state/faults.js';
import { type Move, renames } from '../state/renames.js';
import { settler } from './settle.js';

/** A record of the tenant as the moves of a plan leave it. `fields` are the record's own where no move touches it. */
export interface Present {
  record: StoredRecord;
  fields: Fields;
}

/**
 * The tenant's records by the addresses that they have after the moves. Throws `conflict` where a move leads to an
 * address that another record has.
 */
export function presentRecords(
  moves: readonly Move[],
  wanted: ReadonlyMap<Address, DeclaredRecord>,
  records: Iterable<StoredRecord>,
  stack: string,
): Map<Address, Present> {
  const present = new Map<Address, Present>();
  for (const record of records) present.set(record.address, { record, fields: record.fields });
  if (moves.length === 0) return present;

  const inbound = new InboundIndex();
  for (const { record } of present.values()) inbound.add(record);
  const faults = new Faults('conflict');
  const base = {
    get: (address: Address) => present.get(address)?.record,
    inbound: (address: Address) => inbound.of(address),
  };
  const requested = movesToMake(moves, wanted, present, stack);
  const made = finished(renames(base, requested, (_, detail, address) => faults.add('', detail, address)));
  faults.raise();
  for (const { previous } of made) present.delete(previous.address);
  for (const { previous, address, fields } of made) present.set(address, { record: previous, fields });
  return present;
}

function movesToMake(
  moves: readonly Move[],
  wanted: ReadonlyMap<Address, DeclaredRecord>,
  present: ReadonlyMap<Address, Present>,
  stack: string,
): Move[] {
  const settle = settler(moves, (address) => wanted.has(address));
  const made: Move[] = [];
  for (const [from, { record }] of present) {
    const to = settle(from);
    if (to === from || !wanted.has(to)) continue;
    // The move has been made before, and another stack has used the old name since.
    if (record.managed_by !== stack && present.has(to)) continue;
    made.push({ from, to });
  }
  return made;
}
