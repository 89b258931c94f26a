import { limitsText } from '@authz-service/core/limits/limits-text';
import { ProblemError } from '@authz-service/core/problem';
import type { Path } from '@authz-service/core/records/address';
import { isCredential, type Kind } from '@authz-service/core/records/kinds';
import type { Limits } from '@authz-service/core/records/limits';
import { type CredentialScope, KEY_SCOPES } from '@authz-service/core/records/scopes';
import type { ActorKind } from '../store/store.js';

/** A permission of a request: the scopes of records, and `operator`, which no record can name. */
export type Grant = CredentialScope | 'operator';

/** The verified sender of a request. */
export interface Credential {
  kind: ActorKind;
  id: string;
  name: string;
  /** The id of its tenant. */
  tenant: string;
  grants: ReadonlySet<Grant>;
  /** A new value for each secret that the credential has had; tokens name the one that they were issued for. */
  generation: string;
  /** The limits of what it may write, by its present record; absent means unlimited. */
  limits?: Limits;
  /** The end of the key or the access token, in milliseconds since the epoch. */
  expiresAt?: number;
  /** For an access token: whether it has fewer scopes than its client. */
  narrowed?: boolean;
  /** The paths of the applications that its bundle is for, sorted; absent means all. */
  applications?: readonly Path[];
  /** The path of the directory that it sends people and groups for; it writes nothing else. */
  directory?: Path;
  /** If it was found by a session of the console: the hash that the store knows the session by. */
  session?: string;
}

/** Whether the credential may do this. The scope to write records implies the one to read them. */
export function holds(credential: Credential, grant: Grant): boolean {
  return credential.grants.has(grant) || (grant === 'records:read' && credential.grants.has('records:write'));
}

/** The scopes of which each lets its holder write some kinds of records. */
export const WRITING_SCOPES = [
  'records:write',
  'credentials',
  'access-rules',
] as const satisfies readonly CredentialScope[];

/** The scope that records of a kind take to be written. */
export function scopeToWrite(kind: Kind): (typeof WRITING_SCOPES)[number] {
  if (isCredential(kind)) return 'credentials';
  return kind === 'access_rule' ? 'access-rules' : 'records:write';
}

/** Throws `forbidden`, naming the scope, unless the credential has at least one of these. */
export function demand(credential: Credential, anyOf: readonly Grant[]): void {
  if (anyOf.some((grant) => holds(credential, grant))) return;
  const { name, narrowed } = credential;
  // If either scope is enough, the one that is needed depends on what is changed.
  const wanted =
    anyOf.length > 1
      ? '"records:write" (or "credentials", to change API keys and OAuth clients, or "access-rules", to change access rules)'
      : anyOf.map((grant) => `"${grant}"`).join();
  throw new ProblemError(
    'forbidden',
    narrowed
      ? `The access token has fewer scopes than its client "${name}" and lacks ${wanted}: ask for a new one with that scope.`
      : `The credential "${name}" lacks the scope ${wanted}: use one that has it, or have it granted.`,
  );
}

/** Throws `outside_limits` where the credential has limits: for what concerns more than records. */
export function demandUnlimited({ name, limits }: Credential): void {
  if (limits === undefined) return;
  throw new ProblemError(
    'outside_limits',
    `The credential "${name}" is limited to ${limitsText(limits)}, and this concerns the whole installation: use a credential without limits.`,
  );
}

/** All scopes of the credential, including implied ones, in the order in which scopes are documented. */
export function grantsOf(credential: Credential): Grant[] {
  return ([...KEY_SCOPES, 'operator'] as const).filter((grant) => holds(credential, grant));
}
