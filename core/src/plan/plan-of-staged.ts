import type { JsonObject } from '../json/json.js';
import type { StoredRecord } from '../records/registry.js';
import type { Staged } from '../state/change.js';
import { differences } from './differences.js';
import type { Follower, Plan, PlannedChange } from './plan.js';
import { SensitiveProperties } from './sensitive-properties.js';

/** A plan of what a change-set was found to make of a tenant, as a plan of a tree says it. */
export function planOfStaged(
  { put, remove }: Staged,
  {
    tenant,
    stack,
    revision,
    records,
  }: { tenant: string; stack: string; revision: string; records: readonly StoredRecord[] },
): Plan {
  const changes: PlannedChange[] = [];
  const followers: Follower[] = [];
  for (const { record, previous, follows } of put) {
    const { kind, address, managed_by } = record;
    if (previous !== undefined && follows) followers.push({ kind, address, from: previous.address, managed_by });
    else changes.push(changeOf(record, previous));
  }
  for (const { kind, address, fields } of remove) {
    changes.push({ action: 'delete', kind, address, differences: differences(fields as JsonObject, {}) });
  }
  const sensitive = new SensitiveProperties();
  for (const record of records) sensitive.add(record);
  for (const { record, previous } of put) {
    sensitive.add(record);
    if (previous !== undefined) sensitive.add({ ...previous, address: record.address });
  }
  const added = changes.filter(({ action }) => action === 'create').length;
  const changed = put.length - added;
  const own = records.filter(({ managed_by }) => managed_by === stack).length;
  const touched = put.filter(({ previous }) => previous?.managed_by === stack).length;
  const gone = remove.filter(({ managed_by }) => managed_by === stack).length;
  return {
    format: 1,
    tenant,
    stack,
    base_revision: revision,
    changes: changes.map((change) => sensitive.noted(change)),
    ...(followers.length > 0 && { followers }),
    counts: { added, changed, removed: remove.length, unchanged: Math.max(0, own - touched - gone) },
  };
}

function changeOf(record: StoredRecord, previous: StoredRecord | undefined): PlannedChange {
  const { kind, address } = record;
  const fields = record.fields as JsonObject;
  if (previous === undefined) return { action: 'create', kind, address, differences: [], fields };
  const found = differences(previous.fields as JsonObject, fields);
  if (previous.address === address) return { action: 'update', kind, address, differences: found, fields };
  return { action: 'move', kind, address, from: previous.address, differences: found, fields };
}
