import type { StoredRecord } from '@authz-service/core/records/registry';
import type { AuditedChange } from '../store/store.js';
import type { Differing, StatesCompared } from './analysis-tasks.js';

/** The changes from an earlier state to this one, sorted by address. */
export function changesBetween(
  after: readonly StoredRecord[],
  differing: readonly Differing[],
): Pick<StatesCompared, 'changes' | 'counts'> {
  const unlike = new Set(differing.flatMap((part) => part.unlike));
  const earlier = new Map<string, StoredRecord>();
  for (const { records } of differing) for (const record of records) earlier.set(identityOf(record), record);
  const changes: AuditedChange[] = [];
  const counts = { added: 0, changed: 0, removed: 0 };
  for (const record of after) {
    const { address } = record;
    if (!unlike.has(address)) continue;
    const identity = identityOf(record);
    const previous = earlier.get(identity);
    earlier.delete(identity);
    counts[previous === undefined ? 'added' : 'changed']++;
    if (previous === undefined) changes.push({ op: 'create', address });
    else if (previous.address === address) changes.push({ op: 'update', address });
    else changes.push({ op: 'move', address, from: previous.address });
  }
  counts.removed = earlier.size;
  for (const { address } of earlier.values()) changes.push({ op: 'delete', address });
  changes.sort((left, right) => (left.address < right.address ? -1 : 1));
  return { changes, counts };
}

/** The identity of a record, which it keeps when it is renamed. */
function identityOf({ kind, id }: StoredRecord): string {
  return `${kind} ${id}`;
}
