import { ProblemError } from '@authz-service/core/problem';
import type { Scope } from '@authz-service/core/records/scopes';
import type { CredentialKind } from '../store/store.js';

/** What a request may do: a record's scopes, and `operator`, which no record can name. */
export type Grant = Scope | 'operator';

/** Who sent a request, already verified. */
export interface Credential {
  kind: CredentialKind;
  id: string;
  name: string;
  /** The id of its tenant. */
  tenant: string;
  grants: ReadonlySet<Grant>;
}

/** Whether the credential may do this. Writing records implies reading them. */
export function holds(credential: Credential, grant: Grant): boolean {
  return credential.grants.has(grant) || (grant === 'records:read' && credential.grants.has('records:write'));
}

/** Throws `forbidden` naming the scope, unless the credential holds at least one of these. */
export function demand(credential: Credential, anyOf: readonly Grant[]): void {
  if (anyOf.some((grant) => holds(credential, grant))) return;
  const wanted = anyOf.map((grant) => `"${grant}"`).join(' or ');
  throw new ProblemError(
    'forbidden',
    `The credential "${credential.name}" lacks the scope ${wanted}: use one that has it, or have it granted.`,
  );
}
