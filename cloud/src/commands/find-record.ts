import { ProblemError } from '@authz-service/core/problem';
import { address, splitAddress } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { titleOf } from '@authz-service/core/state/kind-words';
import type { TenantState } from '@authz-service/core/state/tenant-state';

/**
 * The record that a caller names by its id or its path; also a subject by the caller's own id if only one type has it.
 * Throws `not_found`, or `ambiguous_name` naming both records: the chosen id of a client may be the name of another
 * one.
 */
export function findRecord(state: TenantState, kind: Kind, name: string): StoredRecord {
  const byId = state.find(kind, name);
  const byPath = state.get(address(kind, name));
  if (byId && byPath && byId !== byPath) {
    throw new ProblemError(
      'ambiguous_name',
      `"${name}" is the id of ${byId.address} and the name of another client: write "${splitAddress(byId.address).path}" ` +
        `for the first, "${byPath.id}" for the second.`,
    );
  }
  const found = byId ?? byPath ?? (kind === 'subject' && subjectOf(state, name));
  if (found) return found;
  throw new ProblemError('not_found', `${titleOf(kind)} "${name}" does not exist: give an existing id or path.`);
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
