import type { CommitSource, RecordOrigin } from '@authz-service/core/origin/record-origin';
import type { ProblemError } from '@authz-service/core/problem';
import type { Limits } from '@authz-service/core/records/limits';
import type { Person } from '@authz-service/core/records/person';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Staged } from '@authz-service/core/state/change';
import type { StoredChange } from '@authz-service/core/state/record-changes';
import type { AgentStore } from './agent-store.js';
import type { SessionStore } from './console-sessions.js';
import type { CredentialSwitch } from './credential-switch.js';
import type { CredentialUseStore } from './credential-uses.js';
import type { DirectoryStore, Loss } from './directory-store.js';
import type { EpochStore } from './epoch-store.js';
import type { KeyStore } from './key-store.js';
import type { LoadedTenant, TakeRecords } from './loaded-tenant.js';
import type { SignOffStore } from './sign-off-store.js';
import type { StoreOfAll } from './store-of-all.js';
import type { SyncLeaseStore } from './sync-lease-store.js';
import type { EventPoint } from './tenant-events.js';
import type { TenantUseStore } from './tenant-use.js';

/** The store of the cloud, behind one interface: commands know this and no database. Times are RFC 3339 in UTC. */
export interface Store
  extends TenantStore,
    AgentStore,
    CredentialSwitch,
    CredentialUseStore,
    DirectoryStore,
    EpochStore,
    KeyStore,
    SessionStore,
    SignOffStore,
    SyncLeaseStore,
    TenantUseStore {
  /** Whether other processes commit to the same database, so that their commits must be followed. */
  readonly shared: boolean;
  /** Returns what others may have changed, as it is at one moment. Uses a connection of its own. */
  position(): Promise<StorePosition>;
  /**
   * Runs work that judges and stores one commit while nobody else can commit to the tenant. All that it does with the store
   * that it is given is one transaction. Say beforehand whether the commit is to be `judged` for all tenants.
   */
  locked<T>(tenant: string, options: { judged: boolean }, work: (store: TenantStore) => Promise<T>): Promise<T>;
  /** Runs work that only one process may do at a time, such as creating what is missing at a start. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Runs work on what concerns all tenants, and stores all of it or nothing. */
  atOnce<T>(work: (store: StoreOfAll) => Promise<T>): Promise<T>;
  /**
   * Calls `onCommit` soon after somebody has committed, as far as that is known: with what is known of it, or without where
   * anything may have changed. Calls `onError` with the error when commits are no longer announced, and with undefined when they are
   * again. Call what it returns to end that.
   */
  listen(
    onCommit: (notice?: CommitNotice) => void,
    onError: (error: ProblemError | undefined) => void,
  ): () => Promise<void>;
  tenants(): Promise<TenantRow[]>;
  /** The names of tenants that were created, were not removed, and are missing all the same. */
  lostTenants(): Promise<string[]>;
  /**
   * Creates a tenant together with its first revision, so that no tenant is ever without an administrator. Throws
   * `TakenNameError`, and what `judge` throws.
   */
  createTenant(tenant: TenantRow, first: Commit, judge?: JudgeOperators): Promise<void>;
  /** Returns false if there is no such tenant any more. Throws what `judge` throws. */
  deleteTenant(
    tenant: TenantRow,
    by: Pick<AuditRow, 'at' | 'request_id' | 'credential'>,
    judge?: JudgeOperators,
  ): Promise<boolean>;
  /**
   * The tenants that were created and removed, including those that no longer exist: latest first, with numbers below
   * `before`.
   */
  tenantEvents(page: { before?: number; limit: number }): Promise<TenantEvent[]>;
  /** All after this one, oldest first, and the newest. Undefined if the database does not have this one (any more). */
  tenantEventsAfter(known: EventPoint): Promise<{ events: TenantEvent[]; newest: EventPoint } | undefined>;
  /**
   * Reads a tenant as stored in its rows, and hands its records to `take` page by page, in no order; the next page is read
   * meanwhile. Throws `ChangedStoreError` if one of them cannot be read, and what `take` throws.
   */
  load(tenant: string, take?: TakeRecords): Promise<LoadedTenant>;
  /** Returns the places of the records with these addresses, as far as they are known. */
  origins(tenant: string, addresses: readonly string[]): Promise<Origins>;
  /** Newest first, for revisions below `before`. */
  audit(tenant: string, page: AuditFilter & { before?: number; limit: number }): Promise<AuditRow[]>;
  /** The oldest revision whose records can be rebuilt, and the newest one. */
  historyStart(tenant: string): Promise<HistoryStart>;
  /** A revision by its number, or the newest one that was committed at this time or before. */
  findRevision(tenant: string, wanted: { number: number } | { at: string }): Promise<RevisionPoint | undefined>;
  /** A page of the records at a past revision; the same record may be on two pages. */
  readPast(tenant: string, revision: number, after?: PastPosition): Promise<PastPage>;
  /** The newest commits within these bounds, oldest first, of the kinds that bundles contain. */
  newestCommits(tenant: string, bounds: { commits: number; changes: number }): Promise<KeptCommit[]>;
  /**
   * Takes values out of the past versions of a subject, and leaves no copy of them in the database file. Returns the
   * number of its versions.
   */
  eraseHistory(erasure: Erasure): Promise<Erased>;
  /** Forgets what only revisions need that are older than the one of this time. The newest one always stays. */
  pruneHistory(before: string): Promise<void>;
  /** Forgets commits from before this time that no past state needs. The newest one of a tenant always stays. */
  pruneAudit(before: string): Promise<void>;
  /** The credentials of all tenants, with the hashes of their secrets. */
  credentials(): Promise<CredentialRow[]>;
  /** Removes the keys first used before this moment. */
  purgeIdempotent(before: string): Promise<void>;
  /** Whether changes can be stored at this moment. It takes as long as the disk takes to answer. */
  writability(): Promise<Writability>;
  close(): Promise<void>;
}

/** The store that a commit to one tenant needs. */
export interface TenantStore {
  /**
   * Writes one revision, all or nothing. Throws `StaleStoreError` if the store is not at `commit.base` with those records,
   * `TakenKeyError`, and what `commit.judge` throws.
   */
  commit(commit: Commit): Promise<void>;
  /**
   * Returns what others have committed to the tenant after this revision; undefined if that can no longer be told, or if
   * the store has this revision with another digest as its newest. Throws `NoTenantError`.
   */
  commitsSince(tenant: string, known: Pick<RevisionPoint, 'revision' | 'digest'>): Promise<ChangesSince | undefined>;
  /** The credentials of those of these tenants whose credentials may have changed after the given revision. */
  credentialsSince(tenants: readonly { tenant: string; since: number }[]): Promise<TenantCredentials[]>;
  /**
   * Notes where records stand that stay as they are. Throws `StaleStoreError` if the store is not at the revision `base`.
   */
  noteOrigins(note: { tenant: string; base: number; origins: Origins }): Promise<void>;
  findIdempotent(key: IdempotencyKey): Promise<Omit<IdempotencyRow, 'free_before'> | undefined>;
  /** Throws `TakenKeyError`. */
  saveIdempotent(row: IdempotencyRow): Promise<void>;
}

/**
 * Judges, in the writing transaction, what concerns all tenants: it gets the operators' credentials as stored before the
 * change, of which nobody else changes any until the transaction has ended. It throws to refuse the change.
 */
export type JudgeOperators = (operators: CredentialRow[]) => void;

/** A commit, as processes announce it to each other. */
export interface CommitNotice {
  tenant: string;
  revision: number;
  /** Whether only a look at everything shows what has changed: it may be credentials, keys, or the tenant itself. */
  atLarge: boolean;
}

/** The marks by which changes of others are seen. */
export interface StorePosition {
  /** The newest revision of each tenant, by its id. */
  revisions: ReadonlyMap<string, number>;
  /** The digest of each tenant's rows at that revision: the number is given again where the database lost a commit. */
  rowDigests: ReadonlyMap<string, string>;
  /** The newest event of a tenant. */
  event: EventPoint;
  /** The version of the newest set of keys that sign bundles. */
  bundleKeys: number;
  /** The version of the newest key that signs access tokens. */
  tokenKeys: number;
  /** The number of the newest epoch; 0 if the cloud has declared none. */
  epoch: number;
}

/** The present revision of a tenant, and what has changed since an earlier one. */
export interface ChangesSince {
  revision: number;
  digest: string;
  /** When the newest commit was made. */
  at: string;
  /** All records that were created, changed or moved since. */
  put: StoredRecord[];
  /** The addresses at which there is no record any more. */
  gone: string[];
  /** The commits one by one, if history still holds all of them. */
  commits: KeptCommit[] | undefined;
}

/** The credentials of a tenant at its newest revision; without rows, they are as they were. */
export interface TenantCredentials {
  tenant: string;
  revision: number;
  rows: CredentialRow[] | undefined;
}

export type Writability = { writable: true } | { writable: false; reason: string };

export interface TenantRow {
  id: string;
  name: string;
  created_at: string;
}

/**
 * A revision to be stored. `base` is the number that the store must be at, with the records of `baseDigest`; `revision` is
 * the one that it gets.
 */
export interface Commit {
  tenant: string;
  base: number;
  /** Numbers are given again where a database has lost its latest commits. */
  baseDigest: string;
  revision: number;
  put: Staged['put'];
  remove: StoredRecord[];
  secrets: NewSecret[];
  /**
   * The places of records that it writes, and of others of its stack. One that it changes and that is not here has no known
   * place.
   */
  origins: Origins;
  audit: AuditRow;
  /** The losses that it brings, if a directory makes it. */
  losses?: Loss;
  idempotency?: IdempotencyRow;
  /** If the commit touches operators. */
  judge?: JudgeOperators;
}

/** Places of records, by their addresses. */
export type Origins = ReadonlyMap<string, RecordOrigin>;

/** A revision as the audit trail has it. */
export interface RevisionPoint {
  revision: number;
  digest: string;
  at: string;
}

export interface HistoryStart {
  oldest: RevisionPoint;
  newest: RevisionPoint;
}

/** The position at which the next page of a past revision begins: in the present records, or in the kept versions. */
export type PastPosition = { record: string } | { until: number; version: string };

export interface PastPage {
  records: StoredRecord[];
  /** How many of them have lost values since. */
  erased: number;
  /** Absent on the last page. */
  next?: PastPosition;
}

/** A request to erase, and who makes it. */
export interface Erasure {
  tenant: Pick<TenantRow, 'id' | 'name'>;
  /** The path of the subject. */
  subject: string;
  /** The names of its properties; if absent all of them, and its name. */
  properties?: readonly string[] | undefined;
  by: Pick<AuditRow, 'at' | 'request_id' | 'credential'>;
}

/** The values that were erased from the past versions of a subject. */
export interface Erased {
  /** How many past versions there are. */
  kept: number;
  /** How many of them lost something. */
  versions: number;
  /** The named properties that none of them had. */
  absent: string[];
}

/** A commit with the records before and after it. */
export interface KeptCommit {
  base: { revision: number; digest: string };
  revision: number;
  changes: StoredChange[];
}

export type CredentialKind = 'api_key' | 'oauth_client';

/** An actor: a credential, or a person who is signed in with an identity provider. */
export type ActorKind = CredentialKind | 'person';

/** The hash of the secret of a credential that the same commit creates, or whose secret it replaces. */
export interface NewSecret {
  kind: CredentialKind;
  id: string;
  hash: string;
  operator: boolean;
  /** The secret before, where it is still good for some time. */
  former?: FormerSecret;
}

/** A replaced secret. */
export interface FormerSecret {
  hash: string;
  /** Until when it is good (RFC 3339). */
  until: string;
}

export interface CredentialRow extends NewSecret {
  tenant: string;
  /** Absent while the credential can be used. */
  off_since?: string;
  fields: {
    name: string;
    scopes: string[];
    expires_at?: string;
    limits?: Limits;
    person?: Person;
    applications?: string[];
    directory?: string;
  };
}

/** Who did what in which revision. `changes` is limited; `truncated` says that there were more. */
export interface AuditRow {
  revision: number;
  digest: string;
  at: string;
  request_id: string;
  credential: { kind: ActorKind | 'bootstrap'; id: string; name: string };
  stack?: string;
  /** The place in Git of its records and who stands behind them, as far as the commit says. */
  source?: CommitSource;
  counts: { added: number; changed: number; removed: number };
  changes: AuditedChange[];
  truncated: boolean;
}

/** Which commits are wanted. Times are RFC 3339 in UTC, and included. */
export interface AuditFilter {
  since?: string;
  until?: string;
  /** The id or the name of the credential. */
  actor?: string;
  /** The address of a record; as far as history goes back. */
  record?: string;
  /** The path of a subject, whose record and links are meant; as far as history goes back. */
  subject?: string;
}

/** An event of a tenant as a whole, or of its history, agents or credentials. Events outlive their tenants. */
export interface TenantEvent extends Pick<AuditRow, 'at' | 'request_id' | 'credential'> {
  number: number;
  op: 'create' | 'delete' | 'erase' | 'retire' | 'refuse' | 'disable' | 'enable';
  tenant: { id: string; name: string };
  /** The subject of an erasure. */
  subject?: string;
  /** The properties of an erasure that did not concern all of them. */
  properties?: string[];
  /** The id of a retired agent, unless all of a credential were retired; or the one that a credential may not use. */
  agent?: string;
  /** Which were turned off or on, by their addresses; or whose agents were retired, by its name. */
  credentials?: string[];
}

export interface AuditedChange {
  op: 'create' | 'update' | 'move' | 'delete';
  address: string;
  /** For a move, the address before. */
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
  /** A key that was first used before this time has become free. */
  free_before: string;
}

/**
 * The store is at another revision than the memory: somebody else wrote, or an earlier commit's outcome was unknown.
 */
export class StaleStoreError extends Error {
  override readonly name = 'StaleStoreError';

  constructor(tenant: string, base: number) {
    super(`tenant ${tenant} is not at revision ${base}`);
  }
}

/** An idempotency key was used meanwhile, by another request or by this one before. */
export class TakenKeyError extends Error {
  override readonly name = 'TakenKeyError';
}

/** There is a tenant of that name already. */
export class TakenNameError extends Error {
  override readonly name = 'TakenNameError';
}

/** The tenant has been removed. */
export class NoTenantError extends Error {
  override readonly name = 'NoTenantError';

  constructor(tenant: string) {
    super(`the store holds no tenant ${tenant}`);
  }
}

/** A tenant's rows are not what was committed, or cannot be read. */
export class ChangedStoreError extends Error {
  override readonly name = 'ChangedStoreError';
}
