import type { EngineRecord, RecordChange } from '../../decision/api/engine.js';
import type { Address } from '../../records/address.js';
import { isCredential } from '../../records/kinds.js';
import { equalJson } from '../../state/equal-json.js';
import type { SideRecord } from '../api/side.js';

/** A record that differs between the two states; a record without one side is added or removed. */
export interface ChangedRecord extends RecordChange {
  readonly address: Address;
  readonly before?: EngineRecord | undefined;
  readonly after?: EngineRecord | undefined;
}

export interface Differing {
  /** All records before, as the engine takes them. */
  readonly records: readonly EngineRecord[];
  /** Sorted by address. */
  readonly changes: readonly ChangedRecord[];
  /** The ids of records that a state knows; others stand for their address in the engine. */
  readonly ids: ReadonlyMap<Address, string>;
}

const STEP = 2000;

/** What differs between two states. Records are the same if their addresses are, and they keep one id in both. */
export function* differing(before: Iterable<SideRecord>, after: Iterable<SideRecord>): Generator<undefined, Differing> {
  const present = new Map<Address, SideRecord>();
  const ids = new Map<Address, string>();
  let done = 0;
  const note = ({ kind, address, id }: SideRecord) => {
    if (kind === 'resource' && id !== undefined && !ids.has(address)) ids.set(address, id);
  };
  for (const record of before) {
    if (++done % STEP === 0) yield;
    if (isCredential(record.kind)) continue;
    present.set(record.address, record);
    note(record);
  }
  const changes: ChangedRecord[] = [];
  const kept = new Set<Address>();
  const changed: [SideRecord | undefined, SideRecord][] = [];
  for (const record of after) {
    if (++done % STEP === 0) yield;
    if (isCredential(record.kind)) continue;
    const previous = present.get(record.address);
    note(record);
    if (previous !== undefined) {
      kept.add(record.address);
      if (previous.fields === record.fields || equalJson(previous.fields, record.fields)) continue;
    }
    changed.push([previous, record]);
  }
  const compiled = ({ kind, address, fields }: SideRecord): EngineRecord =>
    ({ kind, id: ids.get(address) ?? address, fields }) as EngineRecord;
  for (const [previous, record] of changed)
    changes.push({ address: record.address, before: previous && compiled(previous), after: compiled(record) });
  const records: EngineRecord[] = [];
  for (const record of present.values()) {
    if (++done % STEP === 0) yield;
    records.push(compiled(record));
    if (!kept.has(record.address)) changes.push({ address: record.address, before: compiled(record) });
  }
  changes.sort((left, right) => (left.address < right.address ? -1 : 1));
  return { records, changes, ids };
}
