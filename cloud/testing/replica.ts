import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import type { Change } from '@authz-service/core/state/change';
import knex, { type Knex } from 'knex';
import { pino } from 'pino';
import { Analyzer } from '../src/analysis/analyzer.js';
import { CredentialIndex } from '../src/auth/credential-index.js';
import type { Cloud } from '../src/cloud.js';
import { type CommitOutcome, commit } from '../src/commands/commit.js';
import { createTenant } from '../src/commands/create-tenant.js';
import { History } from '../src/history/history.js';
import { Follower } from '../src/replica/follower.js';
import { DATABASE } from '../src/store/database-name.js';
import { openSqliteStore } from '../src/store/sqlite.js';
import type { Store } from '../src/store/store.js';
import { Health } from '../src/telemetry/health.js';
import { Metrics } from '../src/telemetry/metrics.js';
import type { Tenant } from '../src/tenants/tenant.js';
import { Tenants } from '../src/tenants/tenants.js';

export const BY = { kind: 'bootstrap', id: 'test', name: 'test' } as const;
export const NOW = Date.parse('2026-06-01T00:00:00Z');

export interface Replica {
  cloud: Cloud;
  /** Looks at the database once. */
  follower: Follower;
}

/** Opens the memory of one of several processes on the same store. */
export async function openReplica(store: Store): Promise<Replica> {
  const slicing = new TimeSlicing(() => performance.now());
  const tenants = await Tenants.open(store, { slicing });
  const { revisions } = await store.position();
  const log = pino({ level: 'silent' });
  const cloud = {
    store,
    tenants,
    slicing,
    log,
    credentials: new CredentialIndex(await store.credentials(), revisions),
    health: new Health(store, tenants, () => NOW, log),
    history: new History(store, slicing),
    analyzer: new Analyzer(slicing),
    metrics: new Metrics({
      tenants: () => 1,
      brokenTenants: () => 0,
      fleet: async () => undefined,
      writable: async () => true,
      clockBehindSeconds: () => 0,
      replica: () => ({ state: 'current', silentSeconds: 0 }),
      setBack: () => false,
      revocationLogWritable: () => undefined,
    }),
    tokens: { version: 0 },
    bundleKeys: { set: { version: 0 } },
    tenantRecordsMax: Number.POSITIVE_INFINITY,
    idempotencyMs: 86_400_000,
  } as Partial<Cloud> as Cloud;
  return { cloud, follower: new Follower(cloud, () => performance.now()) };
}

/** Two replicas in one process: the file is one, and what they have in memory is not. */
export interface TwoReplicas {
  dir: string;
  store: Store;
  here: Replica;
  elsewhere: Replica;
  /** The only tenant, which `elsewhere` made, as `here` knows it. */
  tenant: Tenant;
  /** A connection beside theirs. */
  connect(): Knex;
  close(): Promise<void>;
}

export async function openTwoReplicas(): Promise<TwoReplicas> {
  const dir = await mkdtemp(join(tmpdir(), 'authz-replica-'));
  const store = { ...(await openSqliteStore(dir)), shared: true };
  const elsewhere = await openReplica(store);
  await createTenant(elsewhere.cloud, { name: 'one', by: BY, requestId: 'first', now: NOW });
  const here = await openReplica(store);
  return {
    ...{ dir, store, here, elsewhere, tenant: await onlyTenantOf(here) },
    connect: () =>
      knex.knex({ client: 'sqlite3', connection: { filename: join(dir, DATABASE) }, useNullAsDefault: true }),
    close: async () => {
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export async function onlyTenantOf({ cloud }: Replica): Promise<Tenant> {
  const [row] = cloud.tenants.list();
  return await cloud.tenants.get(row?.id ?? '');
}

/** Commits changes at a replica, as the tenant's administrator. */
export async function send({ cloud }: Replica, ...changes: Change[]): Promise<CommitOutcome> {
  const [credential] = (await cloud.store.credentials()).filter(({ kind }) => kind === 'oauth_client');
  const client = cloud.credentials.client(credential?.id ?? '');
  if (!client) throw new Error('no administrator');
  return await commit(cloud, { changes: () => changes, credential: client, requestId: 'request', now: NOW });
}
