import { ProblemError } from '@authz-service/core/problem';
import { address } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { titleOf } from '@authz-service/core/state/kind-words';
import type { TenantState } from '@authz-service/core/state/tenant-state';

/**
 * The record that a caller names by its id or its path; a subject also by the caller's own id where only one type has
 * it. Throws `not_found`, or `ambiguous_name` naming both.
 */
export function findRecord(state: TenantState, kind: Kind, name: string): StoredRecord {
  const found =
    state.find(kind, name) ?? state.get(address(kind, name)) ?? (kind === 'subject' && subjectOf(state, name));
  if (found) return found;
  throw new ProblemError('not_found', `${titleOf(kind)} "${name}" does not exist: name one by its id or its path.`);
}

function subjectOf(state: TenantState, id: string): StoredRecord | undefined {
  let found: StoredRecord | undefined;
  for (const record of state.records('subject')) {
    if (record.kind !== 'subject' || record.fields.id !== id) continue;
    if (found) {
      throw new ProblemError(
        'ambiguous_name',
        `The id "${id}" belongs to ${found.address} and ${record.address}: write the type before it, like "user/alice".`,
      );
    }
    found = record;
  }
  return found;
}
