import type { Address } from '../../records/address.js';
import { isCredential } from '../../records/kinds.js';
import { knownIdOf } from '../../records/known-id.js';
import { equalJson } from '../../state/equal-json.js';
import type { EngineRecord, RecordChange } from '../api/engine.js';
import type { SideRecord } from './side.js';

/** A record that differs between the two states; a record without one side is added or removed. */
export interface ChangedRecord extends RecordChange {
  readonly address: Address;
  readonly before?: EngineRecord | undefined;
  readonly after?: EngineRecord | undefined;
}

export interface Differing {
  /** All records before, as the engine takes them, made one by one as they are read. */
  records(): Iterable<EngineRecord>;
  /** Sorted by address. */
  readonly changes: readonly ChangedRecord[];
  /** The ids of resources that a state knows; others stand for their address in the engine. */
  readonly ids: ReadonlyMap<Address, string>;
}

/** The distance in which the next record that both lists have is looked for, if they are in the same order. */
const AHEAD_MAX = 32;

/** Returns the differences between two states. Records are the same if their addresses are, and they keep one id in both. */
export function differing(before: Iterable<SideRecord>, after: Iterable<SideRecord>): Differing {
  const [old, made] = [listOf(before), listOf(after)];
  const ids = new Map<Address, string>();
  for (const list of [old, made])
    for (const record of list) {
      const id = record.kind === 'resource' ? knownIdOf(record) : undefined;
      if (id !== undefined && !ids.has(record.address)) ids.set(record.address, id);
    }
  const changed: (readonly [SideRecord | undefined, SideRecord | undefined])[] = [];
  const judge = (previous: SideRecord, record: SideRecord) => {
    if (previous.fields !== record.fields && !equalJson(previous.fields, record.fields))
      changed.push([previous, record]);
  };
  const gone = new Map<Address, SideRecord>();
  const rest: SideRecord[] = [];
  let [at, next] = [0, 0];
  while (at < old.length && next < made.length) {
    const [previous, record] = [old[at] as SideRecord, made[next] as SideRecord];
    if (previous.address === record.address) {
      judge(previous, record);
      at++;
      next++;
    } else if (isAhead(made, next, previous.address)) rest.push(made[next++] as SideRecord);
    else {
      gone.set(previous.address, previous);
      at++;
    }
  }
  for (const previous of old.slice(at)) gone.set(previous.address, previous);
  for (const record of rest.concat(made.slice(next))) {
    const previous = gone.get(record.address);
    if (previous === undefined) changed.push([undefined, record]);
    else {
      gone.delete(record.address);
      judge(previous, record);
    }
  }
  for (const previous of gone.values()) changed.push([previous, undefined]);
  const compiled = ({ kind, address, fields }: SideRecord): EngineRecord =>
    ({ kind, id: ids.get(address) ?? address, fields }) as EngineRecord;
  const changes = changed.map(([previous, record]) => ({
    address: (record ?? (previous as SideRecord)).address,
    before: previous && compiled(previous),
    after: record && compiled(record),
  }));
  changes.sort((left, right) => (left.address < right.address ? -1 : 1));
  const records = function* () {
    for (const record of old) yield compiled(record);
  };
  return { records, changes, ids };
}

function listOf(records: Iterable<SideRecord>): readonly SideRecord[] {
  const list: readonly SideRecord[] = Array.isArray(records) ? records : [...records];
  return list.some(({ kind }) => isCredential(kind)) ? list.filter(({ kind }) => !isCredential(kind)) : list;
}

function isAhead(list: readonly SideRecord[], from: number, address: Address): boolean {
  const end = Math.min(list.length, from + AHEAD_MAX);
  for (let at = from + 1; at < end; at++) if (list[at]?.address === address) return true;
  return false;
}
