import type { Kind, MadeRecords, NewRecords, Records } from './generated/record-types.js';

export type { Kind } from './generated/record-types.js';

/** The kind and the natural key of a record: `role/billing/accountant`. */
export type Address = string;

/** A record as the service sends it: its fields, beside each path the id it stands for, and what the server adds. */
export type WireRecord<K extends Kind = Kind> = Records[K];

/** The fields of a new record. A reference to another record is its path or, as `<field>_id`, its id. */
export type NewRecord<K extends Kind> = NewRecords[K];

/** A JSON merge patch (RFC 7396) of a record: null takes a field away, what is left out stays. */
export type RecordPatch<K extends Kind> = { [F in keyof NewRecords[K]]?: NewRecords[K][F] | null | undefined };

/** A new record. For a credential it holds the secret, which is shown only once. */
export type MadeRecord<K extends Kind> = MadeRecords[K];

/**
 * The members of a sent record that are not fields: ids beside paths, and the application that follows from the type.
 */
type Derived<K extends Kind> = `${string}_id` | 'operator' | (K extends 'resource' ? 'application' : never);

/** The fields of a kind, without what the server adds. */
export type Fields<K extends Kind = Kind> = {
  [P in K]: Pick<Records[P], Exclude<keyof Records[P] & keyof NewRecords[P], Derived<P>>>;
}[K];

/** A record in a snapshot of the tenant: its fields apart from what the server adds. */
export type StoredRecord<K extends Kind = Kind> = {
  [P in K]: Pick<Records[P], 'kind' | 'address' | 'id' | 'managed_by' | 'created_at' | 'updated_at' | 'revision'> & {
    fields: Fields<P>;
  };
}[K];

/** One change of a change-set. Their order does not matter: all are judged together. */
export type Change =
  /** `secret` is a credential's secret, chosen by the caller. */
  | { op: 'create'; kind: Kind; fields: Record<string, unknown>; secret?: string }
  /** `fields` are all the fields that the record is to have; they must give the same address. */
  | { op: 'update'; address: Address; fields: Record<string, unknown>; secret?: string }
  | { op: 'delete'; address: Address }
  /** Renames: the record keeps its id, and everything that mentions it follows. */
  | { op: 'move'; from: Address; to: Address }
  /** Takes the record over for the stack of the change-set without changing it. */
  | { op: 'adopt'; address: Address };

/** A right of a credential. */
export type Scope = Records['api_key']['scopes'][number];

/** The widest that a credential may write; what is absent does not limit. */
export type Limits = NonNullable<Records['api_key']['limits']>;

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
  /** Allows deletions of links of other stacks that grant a role, policy or group of this stack. */
  exclusive?: boolean;
  /** The places of the records that the changes write. */
  origins?: DeclaredOrigins;
  changes: Change[];
}

/** The place where records were last changed. */
export interface OriginSource {
  /** `https://github.com/acme/access`, without credentials. */
  repository?: string;
  commit?: string;
  /** The files have changes that are in no commit. */
  uncommitted?: true;
}

/** The commit in Git that was applied, and who stands behind it, as far as whoever applied it says so. */
export interface CommitSource extends OriginSource {
  /** Who wrote the commit, or opened the pull request. */
  author?: string;
  /** The number of the pull request, or merge request. */
  pull_request?: number;
  approved_by?: string[];
  /** The page of the pipeline run that applied it. */
  pipeline?: string;
}

/** The places that a change-set gives the records of its stack. They are part of no revision and no digest. */
export interface DeclaredOrigins extends CommitSource {
  /** The line that a record begins on, by the path of the file and the address; also of records that do not change. */
  places?: Record<string, Record<Address, number>>;
}

/** The place of a record when it was last changed; what is not known is absent. */
export interface RecordOrigin extends OriginSource {
  address: Address;
  path?: string;
  line?: number;
  /** The page that shows it. */
  link?: string;
}

/** The secret of a new credential, shown once. */
export type IssuedSecret = { address: Address; id: string } & (
  | { secret: string }
  | { client_id: string; client_secret: string }
);

/** A credential in the answer to a repeated change-set. The service does not keep secrets, so it cannot repeat them. */
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
  /** Access rules that are broken and do not refuse it: they only warn, or are new and broken from the start. */
  broken_rules?: { rule: Address; mode: 'enforce' | 'warn'; detail: string }[];
}

export interface WhoAmI {
  tenant: { id: string; name: string };
  credential: { kind: 'api_key' | 'oauth_client'; id: string; name: string };
  /** The widest that it may write; absent means unlimited. */
  limits?: Limits;
  scopes: (Scope | 'operator')[];
}

/** A link into the console. */
export interface ConsoleLink {
  url: string;
  expires_at: string;
}

/** A violation of an access rule that stands. */
export interface AccessRuleViolation {
  /** The address of the rule. */
  rule: Address;
  form: 'never' | 'only' | 'always' | 'separate';
  mode: 'enforce' | 'warn';
  detail: string;
  /** A request that breaks the rule, and its instant; of `separate` one for each of two actions. */
  witness: { request: { [member: string]: unknown }; now: string }[];
  /** False where it cannot be said whether a request breaks the rule. */
  proven: boolean;
}

export interface AccessRuleViolations {
  revision: string;
  violations: AccessRuleViolation[];
  /** Whether a rule has more violations than are listed. */
  more: boolean;
}

export interface Tenant {
  id: string;
  name: string;
  created_at: string;
}

/** A new tenant with the secret of its administrator, which is shown only once. */
export type MadeTenant = Tenant & { client_id: string; client_secret: string };

/** One commit: who changed what. */
export interface AuditEntry {
  revision: string;
  digest: string;
  at: string;
  request_id: string;
  credential: { kind: string; id: string; name: string };
  stack?: string;
  /** The place of its records in Git, and who stands behind them; the links are the pages of the commit and of the pull request. */
  source?: CommitSource & { link?: string; pull_request_link?: string };
  counts: { added: number; changed: number; removed: number };
  changes: { op: 'create' | 'update' | 'move' | 'delete'; address: Address; from?: Address }[];
  /** Whether there were more changes than are listed. */
  truncated: boolean;
}

/** Who made or removed a tenant, erased from its history, retired one of its agents, or switched its credentials. */
export interface TenantEvent {
  op: 'create' | 'delete' | 'erase' | 'retire' | 'refuse' | 'disable' | 'enable';
  at: string;
  tenant: { id: string; name: string };
  request_id: string;
  credential: AuditEntry['credential'];
  /** The subject of an erasure by its path, and the names of the properties, unless all were erased. */
  subject?: string;
  properties?: string[];
  /** The id of the agent that was retired or refused, unless all of a credential (`credentials`) were retired. */
  agent?: string;
  /** The addresses of the credentials that a restore turned off, or an operator on. */
  credentials?: string[];
}

/** A credential that a restore has turned off. */
export interface DisabledCredential {
  address: Address | 'sign-in';
  kind: 'api_key' | 'oauth_client' | 'sign-in';
  id: string;
  name: string;
  scopes: string[];
  expires_at?: string;
  off_since: string;
}

/** The contents of a directory, and the changes that its brake holds. */
export interface DirectoryStatus {
  name: string;
  subjects: number;
  groups: number;
  memberships: number;
  /** When a key of the directory was last used; absent if none ever was. */
  last_sync?: string;
  /** The losses by the directory in the last hour. */
  taken_away: { people: number; renamed: number; memberships: number; groups: number; suspended: number };
  held_count: number;
  /** At most 100: what is held, the oldest first, and then what was decided on in the last 24 hours. */
  held: {
    id: string;
    /** The field of the directory that holds it. */
    braked: string;
    detail: string;
    /** The addresses of the first 10 records that it is about. */
    records: Address[];
    state: 'held' | 'released' | 'discarded';
    first_at: string;
    last_at: string;
  }[];
  /** The effect on access of letting all of it through, if it was asked for. */
  access?: unknown;
}

/** A request of SCIM in the form of a bulk request (RFC 7644 section 3.7). */
export interface ScimOperation {
  method: 'POST' | 'PUT' | 'DELETE';
  /** `/Users`, `/Groups`, or one of them with an id. */
  path: string;
  /** The name of what it makes: another operation has `bulkId:NAME` as the id of a member. */
  bulkId?: string;
  data?: object;
}

/** The effect of requests of SCIM that nobody has sent yet. */
export interface DirectoryPlan {
  base_revision: string;
  /** The operations that the mapping would refuse or the brake hold now, by their positions. */
  refused: { operation: number; detail: string }[];
  /** The access rules that the others would break together. */
  violations: { rule: string; mode: 'enforce' | 'warn'; detail: string }[];
  /** The effect of the others on access, or why that is not known. */
  access: unknown;
}

/** Records that a directory has taken over, and the owners that they had. */
export interface AdoptedRecords {
  revision: string;
  adopted: { address: Address; taken_from: string }[];
}

/** The key that signs bundles from now on. */
export interface BundleKey {
  kid: string;
  version: number;
  created_at: string;
  /** The key that signs access tokens from now on. */
  token_kid: string;
}

/** The new secret of a credential, which is shown only once: `secret` of an API key, the others of an OAuth client. */
export interface RotatedSecret {
  secret?: string;
  client_id?: string;
  client_secret?: string;
  /** Until when the secret before is good; absent if it has ended. */
  former_until?: string;
}

/** The state that an agent reports. Times are RFC 3339 in UTC; null means not known yet. */
export interface AgentStatus {
  /** The source of bundles: the cloud, or files that a web server distributes. */
  source: { kind: 'cloud' | 'static'; url: string };
  status: string;
  tenant: { id: string; name: string } | null;
  revision: string | null;
  digest: string | null;
  /** The applications whose records are held; null for all. */
  applications: readonly string[] | null;
  bundle_revision: string | null;
  issued_at: string | null;
  age_seconds: number | null;
  /** The age past which the agent decides nothing; null if it has none. */
  max_age_seconds: number | null;
  /** How old the records may be that decide about some resource types; `refused` if the agent asks too seldom for that. */
  budgets?: { of: string; max_age_seconds: number; refused: boolean }[];
  /** The epoch of the cloud, and the key that has signed it; null before the cloud has declared one. */
  epoch: { name: string; declared_at: string; signed_by: string } | null;
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

/** An agent as it reports itself: claims, which nobody has verified. */
export interface ReportedAgent {
  id: string;
  /** Null, like the credential, if an operator of another tenant fetches for it. */
  name: string | null;
  version: string | null;
  credential: { id: string; name: string } | null;
  /** The revision that it serves; null if it serves nothing. */
  revision: string | null;
  /** Whether it is a publisher: its revision is what it has published, and nobody knows who reads that. */
  publishes: boolean;
  /** By how many revisions it is behind; null if it serves nothing, or what the tenant never had. */
  lag: number | null;
  /** Whether it serves the revision that the list is about, or a later one. */
  enforces: boolean;
  /** Whether it has been silent for longer than its own maximum age, so that it decides nothing. */
  expired: boolean;
  /** Whether it claims a revision that the tenant never had. */
  diverged: boolean;
  /** The age of what it knew when it was last seen, and the age past which it refuses to decide. */
  age_seconds: number | null;
  max_age_seconds: number | null;
  /** The code of the failure since its last successful poll. */
  error: string | null;
  last_seen: string;
}

export interface AgentList {
  /** The newest revision. */
  revision: string;
  /** The number of the revision that the list is about. */
  wanted: number;
  /** Whether every agent enforces that revision or is expired, the list is complete, and nobody publishes. */
  enforced: boolean;
  total: number;
  /** How many of them serve that revision or a later one. */
  enforcing: number;
  /** How many of the others decide nothing any more. */
  expired: number;
  /** How many of all of them publish, for readers that nobody knows. */
  publishers: number;
  /** False once there are too many agents to list. */
  complete: boolean;
  agents: ReportedAgent[];
  /** Whether there are more than are listed. */
  more: boolean;
}

export interface PolicyBundle {
  /** The tag that `ifNoneMatch` takes. */
  etag: string | undefined;
  /** The tar.gz archive. */
  bytes: Uint8Array;
}
