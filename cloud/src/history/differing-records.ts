import type { Address } from '@authz-service/core/records/address';
import { isCredential } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { TenantState } from '@authz-service/core/state/tenant-state';
import type { AuditedChange } from '../store/store.js';

/** What differs between two states of a tenant, without credentials, which are in no history. */
export interface DifferingRecords {
  /** Sorted by address. */
  readonly changes: readonly AuditedChange[];
  readonly counts: { added: number; changed: number; removed: number };
  /** The addresses at which the later state has what the earlier one had not, or not so. */
  readonly unlike: readonly Address[];
  /** What the earlier state had in place of them. */
  readonly earlier: readonly StoredRecord[];
}

const STEP = 2000;

/** Compares two states in steps. A record with the id and the revision of another is the same version of it. */
export function* differingRecords(before: TenantState, after: TenantState): Generator<undefined, DifferingRecords> {
  const changes: AuditedChange[] = [];
  const counts = { added: 0, changed: 0, removed: 0 };
  const unlike: Address[] = [];
  const earlier: StoredRecord[] = [];
  let done = 0;
  for (const record of after.records()) {
    if (++done % STEP === 0) yield;
    const { kind, id, address, revision } = record;
    if (isCredential(kind)) continue;
    const previous = before.find(kind, id);
    if (previous?.revision === revision) continue;
    unlike.push(address);
    if (previous === undefined) {
      counts.added++;
      changes.push({ op: 'create', address });
      continue;
    }
    counts.changed++;
    earlier.push(previous);
    const from = previous.address;
    changes.push(from === address ? { op: 'update', address } : { op: 'move', address, from });
  }
  for (const record of before.records()) {
    if (++done % STEP === 0) yield;
    if (isCredential(record.kind) || after.find(record.kind, record.id) !== undefined) continue;
    counts.removed++;
    earlier.push(record);
    changes.push({ op: 'delete', address: record.address });
  }
  changes.sort((left, right) => (left.address < right.address ? -1 : 1));
  return { changes, counts, unlike, earlier };
}
