import { ProblemError } from '@authz-service/core/problem';
import type { Address } from '@authz-service/core/records/address';
import { matches } from '../http/reply.js';
import { ScimError } from '../scim/scim-error.js';
import type { DirectoryView } from './directory-view.js';

/** Throws `uniqueness` if something is at one of the addresses, unless the directory may take it up again. */
export function assertFree(view: DirectoryView, taken: readonly Address[], what: string): void {
  for (const address of taken) {
    const record = view.state.get(address);
    if (record === undefined) continue;
    const isLeft = record.managed_by === view.owner && 'entry' in record.fields === false;
    if (isLeft) continue;
    const owner = record.managed_by === view.owner ? 'here' : `and belongs to "${record.managed_by}"`;
    throw new ScimError('uniqueness', `${what} exists already ${owner}.`);
  }
}

/** Throws `precondition_failed` unless the caller has seen the resource as it is. */
export function assertMatch(ifMatch: string | undefined, version: string, address: Address): void {
  if (ifMatch === undefined || matches(ifMatch, version, 'weak')) return;
  throw new ProblemError('precondition_failed', `${address} has changed since: read it again, then repeat.`);
}

export function notFound(type: 'User' | 'Group', id: string): never {
  throw new ProblemError(
    'not_found',
    `There is no ${type.toLowerCase()} with the id "${id.slice(0, 200)}" in the directory.`,
  );
}
