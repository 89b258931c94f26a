import type { Address } from '../records/address.js';
import { DENIES_SECOND_FACTORS } from '../records/policy.js';
import type { StoredRecord } from '../records/registry.js';

/** A stored record that says what would be refused now, and the remedy. */
export interface RefusedForm {
  address: Address;
  managed_by: string;
  detail: string;
}

/** Yields those of these records whose form has been refused since: they keep their meaning until they are written again. */
export function* refusedForms(records: Iterable<StoredRecord>): Generator<RefusedForm> {
  for (const { kind, address, managed_by, fields } of records) {
    if (kind !== 'policy' || fields.effect !== 'DENY' || fields.modifiers?.mfa_required !== true) continue;
    yield { address, managed_by, detail: `modifiers.mfa_required: true ${DENIES_SECOND_FACTORS}.` };
  }
}
