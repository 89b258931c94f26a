import { revisionNumber } from '@authz-service/core/state/revision';
import type { TenantState } from '@authz-service/core/state/tenant-state';
import type { ComparedTask, StatesCompared } from '../analysis/analysis-tasks.js';
import type { Credential } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import type { Moment } from '../history/history.js';
import type { ReadableTenant } from '../tenants/tenant.js';
import { tenantAt } from './tenant-at.js';

/** The most changes and findings that are listed; beyond, numbers say how many there are. */
export const LISTED_MAX = 1000;

/** One of two compared moments. */
export interface ComparedMoment {
  revision: string;
  /** When the revision was committed: RFC 3339. */
  committed_at: string;
  /** How many of its records have lost values since, by an erasure. */
  erased: number;
}

/** Two moments, and from the later one on what changed in between. */
export interface Comparison extends StatesCompared {
  before: ComparedMoment;
  after: ComparedMoment;
}

/** Two moments of a tenant, with what the analyzer takes to compare them. */
interface TwoMoments {
  earlier: ComparedMoment;
  later: ComparedMoment;
  /** At the later moment. */
  tenant: ReadableTenant;
  revision: string;
  before: TenantState;
  task: ComparedTask;
}

/**
 * Finds what changed between two moments of the credential's tenant; without `after` it is now. Throws as `tenantAt` does,
 * `stale_base` if a commit comes in between, `timeout`, `too_many_requests`.
 */
export async function compareRevisions(cloud: Cloud, asked: ComparisonQuery, signal: AbortSignal): Promise<Comparison> {
  const prepare = (ends: AbortSignal) => twoMoments(cloud, asked, ends);
  const { prepared, found } = await cloud.analyzer.compare(prepare, { credential: asked.credential, signal });
  return { before: prepared.earlier, after: prepared.later, ...found };
}

interface ComparisonQuery {
  credential: Credential;
  before: string;
  after: string | undefined;
  now: number;
}

/** Reads two moments of the credential's tenant. Throws as `tenantAt` does. */
export async function twoMoments(cloud: Cloud, asked: ComparisonQuery, signal: AbortSignal): Promise<TwoMoments> {
  const { credential, now } = asked;
  const past = await tenantAt(cloud, { credential, at: asked.before, now, signal });
  const present = await tenantAt(cloud, { credential, at: asked.after, now, signal });
  const { tenant } = present;
  const { revision } = tenant;
  const [earlier, later] = [await comparedOf(cloud, past), await comparedOf(cloud, present)];
  const start = present.now ?? (asked.after === undefined ? now : Date.parse(later.committed_at));
  const task = { now: start, listedMax: LISTED_MAX };
  return { earlier, later, tenant, revision, before: past.tenant.state, task };
}

async function comparedOf(cloud: Cloud, { tenant: { id, revision, erased } }: Moment): Promise<ComparedMoment> {
  const found = await cloud.store.findRevision(id, { number: revisionNumber(revision) });
  if (found === undefined) throw new Error(`the store has no revision ${revision} of the tenant ${id}`);
  return { revision, committed_at: found.at, erased };
}
