import type { AccessReport } from '@authz-service/core/impact/report/access-report';
import { revisionNumber } from '@authz-service/core/state/revision';
import type { Credential } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { type DifferingRecords, differingRecords } from '../history/differing-records.js';
import type { Moment } from '../history/history.js';
import { tenantAt } from './tenant-at.js';

/** One of two compared moments. */
interface ComparedMoment {
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

/**
 * What changed between two moments of the credential's tenant; without `after` it is now. Throws as `tenantAt` does,
 * `stale_base` if a commit comes in between, `timeout`, `too_many_requests`.
 */
export async function compareRevisions(
  cloud: Cloud,
  asked: { credential: Credential; before: string; after: string | undefined; now: number },
  signal: AbortSignal,
): Promise<Comparison> {
  const { credential, now } = asked;
  const earlier = await tenantAt(cloud, { credential, at: asked.before, now });
  const later = await tenantAt(cloud, { credential, at: asked.after, now });
  const { tenant } = later;
  const { revision } = tenant;
  const [before, after] = [await comparedOf(cloud, earlier), await comparedOf(cloud, later)];
  const records = await cloud.slicing.run(differingRecords(earlier.tenant.state, tenant.state), tenant.id);
  const start = later.now ?? (asked.after === undefined ? now : Date.parse(after.committed_at));
  const access = await cloud.drafts.changeSince(
    tenant,
    revision,
    { unlike: records.unlike, records: records.earlier, now: start },
    signal,
  );
  return { before, after, records, access };
}

async function comparedOf(cloud: Cloud, { tenant: { id, revision, erased } }: Moment): Promise<ComparedMoment> {
  const found = await cloud.store.findRevision(id, { number: revisionNumber(revision) });
  if (found === undefined) throw new Error(`the store has no revision ${revision} of the tenant ${id}`);
  return { revision, committed_at: found.at, erased };
}
