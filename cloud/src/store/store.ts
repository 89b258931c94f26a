import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Staged } from '@authz-service/core/state/change';

/** What the cloud keeps, behind one interface: commands know this and no database. Times are RFC 3339 in UTC. */
export interface Store {
  tenants(): Promise<TenantRow[]>;
  /** The names of tenants that were made and not removed, and are gone all the same. */
  lostTenants(): Promise<string[]>;
  /** Makes a tenant together with its first revision, so that no tenant is ever left without an administrator. */
  createTenant(tenant: TenantRow, first: Commit): Promise<void>;
  deleteTenant(tenant: TenantRow, by: Pick<AuditRow, 'at' | 'request_id' | 'credential'>): Promise<void>;
  /** The tenants that were made and removed, also those that are no more: the latest first, of numbers below `before`. */
  tenantEvents(page: { before?: number; limit: number }): Promise<TenantEvent[]>;
  /** A tenant as its rows have it. Throws `ChangedStoreError` where one of them cannot be read. */
  load(tenant: string): Promise<LoadedTenant>;
  /** Writes one revision, whole or not at all. Throws `StaleStoreError` where the store does not stand at `commit.base`. */
  commit(commit: Commit): Promise<void>;
  /** Newest first, of revisions below `before`. */
  audit(tenant: string, page: { before?: number; limit: number }): Promise<AuditRow[]>;
  /** The credentials of all tenants, with the hashes of their secrets. */
  credentials(): Promise<CredentialRow[]>;
  findIdempotent(key: IdempotencyKey): Promise<IdempotencyRow | undefined>;
  saveIdempotent(row: IdempotencyRow): Promise<void>;
  /** Forgets the keys first used before this moment. */
  purgeIdempotent(before: string): Promise<void>;
  /** Private keys as JWK, oldest first. */
  signingKeys(): Promise<SigningKeyRow[]>;
  addSigningKey(row: SigningKeyRow): Promise<void>;
  /** The keys that sign bundles, oldest first. */
  bundleKeys(): Promise<BundleKeyRow[]>;
  /** Throws where the version is taken. */
  addBundleKey(row: BundleKeyRow): Promise<void>;
  /** Whether changes can be stored at this moment. Takes as long as the disk takes to answer. */
  writability(): Promise<Writability>;
  close(): Promise<void>;
}

export type Writability = { writable: true } | { writable: false; reason: string };

export interface TenantRow {
  id: string;
  name: string;
  created_at: string;
}

/** The rows of a tenant, and beside them what its newest commit left: they differ where somebody else wrote. */
export interface LoadedTenant {
  revision: number;
  records: StoredRecord[];
  /** See `RowDigest`; of the rows as they are. */
  rowDigest: string;
  committed: { revision: number; digest: string; rowDigest: string; at: string } | undefined;
}

/** One revision to be. `base` is the number that the store must stand at, `revision` the one it then has. */
export interface Commit {
  tenant: string;
  base: number;
  revision: number;
  put: Staged['put'];
  remove: StoredRecord[];
  secrets: NewSecret[];
  audit: AuditRow;
  idempotency?: IdempotencyRow;
}

export type CredentialKind = 'api_key' | 'oauth_client';

/** The hash of the secret of a credential that the same commit creates, or gives another secret to. */
export interface NewSecret {
  kind: CredentialKind;
  id: string;
  hash: string;
  operator: boolean;
}

export interface CredentialRow extends NewSecret {
  tenant: string;
  fields: { name: string; scopes: string[]; expires_at?: string };
}

/** Who did what in which revision. `changes` is bounded; `truncated` says that there were more. */
export interface AuditRow {
  revision: number;
  digest: string;
  at: string;
  request_id: string;
  credential: { kind: CredentialKind | 'bootstrap'; id: string; name: string };
  stack?: string;
  counts: { added: number; changed: number; removed: number };
  changes: AuditedChange[];
  truncated: boolean;
}

/** Who made or removed a tenant. Events outlive their tenants. */
export interface TenantEvent extends Pick<AuditRow, 'at' | 'request_id' | 'credential'> {
  number: number;
  op: 'create' | 'delete';
  tenant: { id: string; name: string };
}

export interface AuditedChange {
  op: 'create' | 'update' | 'move' | 'delete';
  address: string;
  /** Of a move, the address before. */
  from?: string;
}

/** An idempotency key belongs to one credential of one tenant. */
export interface IdempotencyKey {
  tenant: string;
  credential: string;
  key: string;
}

export interface IdempotencyRow extends IdempotencyKey {
  request_hash: string;
  /** The response as JSON text, without secrets. */
  response: string;
  created_at: string;
}

export interface SigningKeyRow {
  kid: string;
  /** The private key as JWK JSON text. */
  jwk: string;
  created_at: string;
}

/** One version of the set of keys that sign bundles. */
export interface BundleKeyRow {
  version: number;
  kid: string;
  /** The private key as JWK JSON text. */
  jwk: string;
  /** The set, signed by the key of the version before. */
  announcement: string;
  created_at: string;
}

/** The store stands at another revision than the memory: somebody else wrote, or an earlier commit's outcome was unknown. */
export class StaleStoreError extends Error {
  override readonly name = 'StaleStoreError';

  constructor(tenant: string, base: number) {
    super(`tenant ${tenant} is not at revision ${base}`);
  }
}

/** A tenant's rows are not what was committed, or cannot be read. */
export class ChangedStoreError extends Error {
  override readonly name = 'ChangedStoreError';
}
