import type { Address } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import type { Fields, FieldsInput, StoredRecord } from '@authz-service/core/records/registry';
import type { Scope } from '@authz-service/core/records/scopes';
import type { Change } from '@authz-service/core/state/change';

/** The fields of each kind that hold another record's path; on the wire `<field>_id` stands beside each. */
export const REFERENCE_FIELDS = {
  application: [],
  resource_type: ['application'],
  resource: ['type'],
  subject: [],
  role: ['application'],
  group: [],
  policy: ['application', 'resource_type'],
  policy_assignment: ['policy', 'entity'],
  role_assignment: ['role', 'entity'],
  group_membership: ['group', 'entity'],
  api_key: [],
  oauth_client: [],
} as const satisfies { [K in Kind]: readonly string[] };

type ReferenceField<K extends Kind> = (typeof REFERENCE_FIELDS)[K][number];

type ReferenceIds<K extends Kind> = { [F in ReferenceField<K> as `${F}_id`]?: string };

/** The application that a resource's type belongs to; beside it, a type may be given by its bare name. */
type Within<K extends Kind> = K extends 'resource' ? { application?: string; application_id?: string } : unknown;

/** Whether a credential is an operator's, who makes tenants and gets the bundle of all of them. */
type Operator<K extends Kind> = K extends 'api_key' | 'oauth_client' ? { operator?: boolean } : unknown;

/** A record as the service sends it: its fields, beside each path the id it stands for, and what the server adds. */
export type WireRecord<K extends Kind = Kind> = {
  [P in K]: Fields<P> &
    ReferenceIds<P> &
    Within<P> &
    Operator<P> & {
      id: string;
      kind: P;
      address: Address;
      managed_by: string;
      created_at: string;
      updated_at: string;
      /** The number of the revision that last changed it; what `ifMatch` takes. */
      revision: number;
    };
}[K];

/** The fields of a record to make. What refers to another record may give its path or, as `<field>_id`, its id. */
export type NewRecord<K extends Kind> = {
  [P in K]: Omit<FieldsInput<P>, ReferenceField<P>> & {
    [F in ReferenceField<P> & keyof FieldsInput<P>]?: FieldsInput<P>[F];
  } & ReferenceIds<P> &
    Within<P> &
    Operator<P>;
}[K];

/** A JSON merge patch (RFC 7396) of a record: null takes a field away, what is left out stays. */
export type RecordPatch<K extends Kind> = { [F in keyof NewRecord<K>]?: NewRecord<K>[F] | null };

/** A made record. Credentials carry their secret, this once. */
export type MadeRecord<K extends Kind> = WireRecord<K> &
  (K extends 'api_key'
    ? { secret: string }
    : K extends 'oauth_client'
      ? { client_id: string; client_secret: string }
      : unknown);

export interface Page<T> {
  items: T[];
  /** Absent on the last page. */
  next_cursor?: string;
}

/** All records of the tenant at one revision. */
export interface TenantSnapshot {
  tenant: string;
  revision: string;
  records: StoredRecord[];
}

export interface ChangesetRequest {
  /** The revision that the changes were made for; the service refuses with `stale_base` when it has moved. */
  base_revision?: string;
  /** The owner of what is created; records of other owners are refused with `not_owner`. */
  stack?: string;
  take_ownership?: boolean;
  changes: Change[];
}

/** The secret of a new credential, shown once. */
export type IssuedSecret = { address: Address; id: string } & (
  | { secret: string }
  | { client_id: string; client_secret: string }
);

/** In the answer to a repeated change-set, whose first answer got lost: the service keeps no secrets to repeat. */
export type ForgottenSecret = { address: Address; id: string } & (
  | { secret: null }
  | { client_id: string; client_secret: null }
);

export interface ChangesetResult {
  revision: string;
  added: number;
  changed: number;
  removed: number;
  created: { address: Address; id: string }[];
  secrets: (IssuedSecret | ForgottenSecret)[];
}

export interface WhoAmI {
  tenant: { id: string; name: string };
  credential: { kind: 'api_key' | 'oauth_client'; id: string; name: string };
  scopes: (Scope | 'operator')[];
}

export interface Tenant {
  id: string;
  name: string;
  created_at: string;
}

/** A tenant just made, with the secret of its administrator, this once. */
export type MadeTenant = Tenant & { client_id: string; client_secret: string };

/** One commit: who changed what. */
export interface AuditEntry {
  revision: string;
  digest: string;
  at: string;
  request_id: string;
  credential: { kind: string; id: string; name: string };
  stack?: string;
  counts: { added: number; changed: number; removed: number };
  changes: { op: 'create' | 'update' | 'move' | 'delete'; address: Address; from?: Address }[];
  /** Whether there were more changes than are listed. */
  truncated: boolean;
}

/** Who made or removed a tenant. */
export interface TenantEvent {
  op: 'create' | 'delete';
  at: string;
  tenant: { id: string; name: string };
  request_id: string;
  credential: AuditEntry['credential'];
}

/** The key that signs bundles from now on. */
export interface BundleKey {
  kid: string;
  version: number;
  created_at: string;
}

/** What an agent tells of itself. Times are RFC 3339 in UTC; null is not known yet. */
export interface AgentStatus {
  status: string;
  tenant: { id: string; name: string } | null;
  revision: string | null;
  digest: string | null;
  bundle_revision: string | null;
  issued_at: string | null;
  age_seconds: number | null;
  last_request: string | null;
  last_success: string | null;
  last_activation: string | null;
  /** Whether what is served came as a whole bundle, or as changes to the revision before. */
  activated_by: 'bundle' | 'delta' | null;
  last_error: { at: string; code: string; detail: string } | null;
  degraded: boolean;
  consecutive_failures: number;
  /** Whether the cloud holds requests until there is something newer; null while that is not known. */
  long_poll: boolean | null;
  keys: { signed_by: string | null; trusted: string[]; pinned: boolean };
}

export interface PolicyBundle {
  /** What `ifNoneMatch` takes. */
  etag: string | undefined;
  /** The tar.gz archive. */
  bytes: Uint8Array;
}
