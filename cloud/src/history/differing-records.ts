import type { Address } from '@authz-service/core/records/address';
import { isCredential } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { TenantState } from '@authz-service/core/state/tenant-state';

/** Part of what differs between two states. */
interface DifferingPart {
  /** The addresses at which the later state has what the earlier one had not, or not so. */
  unlike: Address[];
  /** The records that the earlier state had in place of them. */
  records: StoredRecord[];
}

/** Records looked at in one step, and those that differ told in one part: some tenths of a millisecond. */
const STEP = 500;
const PART = 25;

/**
 * Gives, part by part, how an earlier state differs from a later one, without credentials, which are in no history. A
 * record with the id and the revision of another is the same version of it.
 */
export function* differingRecords(
  before: TenantState,
  after: TenantState,
  onPart: (part: DifferingPart) => void,
): Generator<undefined, void> {
  let part: DifferingPart = { unlike: [], records: [] };
  let looked = 0;
  /** Whether the step ends here. */
  const ends = (): boolean => {
    const isFull = part.unlike.length >= PART || part.records.length >= PART;
    if (isFull) {
      onPart(part);
      part = { unlike: [], records: [] };
    }
    return ++looked % STEP === 0 || isFull;
  };
  for (const record of after.records()) {
    if (ends()) yield;
    if (isCredential(record.kind)) continue;
    const previous = before.find(record.kind, record.id);
    if (previous?.revision === record.revision) continue;
    part.unlike.push(record.address);
    if (previous !== undefined) part.records.push(previous);
  }
  for (const record of before.records()) {
    if (ends()) yield;
    if (isCredential(record.kind) || after.find(record.kind, record.id) !== undefined) continue;
    part.records.push(record);
  }
  onPart(part);
}
