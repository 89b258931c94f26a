import type { AccessReport } from '@authz-service/core/impact/report/access-report';
import { revisionNumber } from '@authz-service/core/state/revision';
import type { Credential } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import type { EarlierState } from '../drafts/draft-work.js';
import { type DifferingRecords, differingRecords } from '../history/differing-records.js';
import type { Moment } from '../history/history.js';
import type { ReadableTenant } from '../tenants/tenant.js';
import { tenantAt } from './tenant-at.js';

/** One of two compared moments. */
export interface ComparedMoment {
  revision: string;
  /** When the revision was committed: RFC 3339. */
  committed_at: string;
  /** How many of its records have lost values since, by an erasure. */
  erased: number;
}

export interface Comparison {
  before: ComparedMoment;
  after: ComparedMoment;
  records: DifferingRecords;
  /** What changed in who may do what, from the later moment on. */
  access: AccessReport;
}

/** Two moments of a tenant, with what the thread of drafts takes to compare them. */
export interface ComparedStates extends Omit<Comparison, 'access'> {
  /** At the later moment. */
  tenant: ReadableTenant;
  revision: string;
  earlier: EarlierState;
}

/**
 * What changed between two moments of the credential's tenant; without `after` it is now. Throws as `tenantAt` does,
 * `stale_base` if a commit comes in between, `timeout`, `too_many_requests`.
 */
export async function compareRevisions(cloud: Cloud, asked: Compared, signal: AbortSignal): Promise<Comparison> {
  const prepare = async () => {
    const { earlier, ...states } = await comparedStates(cloud, asked);
    return { ...states, task: earlier };
  };
  const { prepared, found } = await cloud.drafts.changeSince(prepare, { credential: asked.credential, signal });
  const { before, after, records } = prepared;
  return { before, after, records, access: found };
}

interface Compared {
  credential: Credential;
  before: string;
  after: string | undefined;
  now: number;
}

/** Reads two moments of the credential's tenant. Throws as `tenantAt` does. */
export async function comparedStates(cloud: Cloud, asked: Compared): Promise<ComparedStates> {
  const { credential, now } = asked;
  const past = await tenantAt(cloud, { credential, at: asked.before, now });
  const later = await tenantAt(cloud, { credential, at: asked.after, now });
  const { tenant } = later;
  const { revision } = tenant;
  const [before, after] = [await comparedOf(cloud, past), await comparedOf(cloud, later)];
  const records = await cloud.slicing.run(differingRecords(past.tenant.state, tenant.state), tenant.id);
  const start = later.now ?? (asked.after === undefined ? now : Date.parse(after.committed_at));
  const earlier = { unlike: records.unlike, records: records.earlier, now: start };
  return { before, after, records, tenant, revision, earlier };
}

async function comparedOf(cloud: Cloud, { tenant: { id, revision, erased } }: Moment): Promise<ComparedMoment> {
  const found = await cloud.store.findRevision(id, { number: revisionNumber(revision) });
  if (found === undefined) throw new Error(`the store has no revision ${revision} of the tenant ${id}`);
  return { revision, committed_at: found.at, erased };
}
