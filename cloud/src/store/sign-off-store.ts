import type { ScopeKind } from '@authz-service/core/questions/review/review-scope';
import type { ReviewedAccess } from '@authz-service/core/questions/review/reviewed-access';

/**
 * A sign-off: somebody has reviewed who has access in a scope of a tenant. Nothing changes or removes one but its tenant's
 * end.
 */
export interface SignOffRow {
  id: string;
  tenant: string;
  at: string;
  request_id: string;
  person: { kind: 'api_key' | 'oauth_client' | 'person'; id: string; name: string };
  /** The address of what was reviewed: `resource_type/billing/invoice`. */
  scope: string;
  /** Absent if all were. */
  actions?: readonly string[];
  /** `NUMBER.DIGEST`. */
  revision: string;
  /** RFC 3339: the clock of what was looked at, which is never before the revision. */
  as_of: string;
  /** Whether all of it shall stay as it is, or some of it needs change. */
  decision: 'keep' | 'change';
  note: string;
  row_count: number;
  /** SHA-256 over the identities of all rows, which hang on their members. */
  rows_digest: string;
  to_change: readonly ReviewedAccess[];
}

/** The position behind which a page of sign-offs begins. */
export type SignOffPosition = Pick<SignOffRow, 'at' | 'id'>;

/** The part of the store that holds sign-offs. */
export interface SignOffStore {
  addSignOff(row: SignOffRow): Promise<void>;
  findSignOff(tenant: string, id: string): Promise<SignOffRow | undefined>;
  /** When everything in each scope of the kind was last signed off, by the address of the scope. */
  lastSignOffs(tenant: string, kind: ScopeKind): Promise<ReadonlyMap<string, string>>;
  /** The latest first; with `scope` only those of what has this address. */
  signOffs(
    tenant: string,
    page: { scope?: string | undefined; after?: SignOffPosition; limit: number },
  ): Promise<SignOffRow[]>;
}
