import { TimeSlicing } from '@authz-service/core/time-slicing';
import { pino } from 'pino';
import { CredentialIndex } from '../src/auth/credential-index.js';
import type { Cloud } from '../src/cloud.js';
import { DraftPlanner } from '../src/drafts/draft-planner.js';
import { Health } from '../src/health.js';
import { History } from '../src/history/history.js';
import { Metrics } from '../src/metrics.js';
import { Follower } from '../src/replica/follower.js';
import type { Store } from '../src/store/store.js';
import { Tenants } from '../src/tenants/tenants.js';

export const NOW = Date.parse('2026-06-01T00:00:00Z');

export interface Replica {
  cloud: Cloud;
  /** Looks at the database once. */
  follower: Follower;
}

/** What one of several processes on the same store has in memory. */
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
    drafts: new DraftPlanner(slicing),
    metrics: new Metrics({
      tenants: () => 1,
      fleet: async () => undefined,
      writable: async () => true,
      clockBehindSeconds: () => 0,
    }),
    bundleKeys: { set: { version: 0 } },
    tenantRecordsMax: Number.POSITIVE_INFINITY,
    idempotencyMs: 86_400_000,
  } as Partial<Cloud> as Cloud;
  return { cloud, follower: new Follower(cloud, () => performance.now()) };
}
