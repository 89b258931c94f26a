import { ProblemError } from '@authz-service/core/problem';
import type { AccessReview } from '@authz-service/core/review/review-access';
import type { ReviewScope } from '@authz-service/core/review/review-scope';
import { revisionNumber } from '@authz-service/core/state/revision';
import type { Credential } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { tenantAt } from './tenant-at.js';

/** So many rows are told; of a larger part, a smaller one can be chosen. */
export const REVIEW_ROWS_MAX = 2000;

/** Who has access to a part, and as of when. */
export interface PartReview extends AccessReview {
  revision: string;
  /** RFC 3339: when the revision was committed. */
  committed_at: string;
  /** RFC 3339: the clock, from which on it is looked at. */
  as_of: string;
}

/**
 * Who has access to a part of the credential's tenant, now or at a past moment, from `asOf` on: milliseconds since the epoch,
 * which are those of the moment if absent. Throws as `tenantAt` does, `invalid_request` for a clock before the revision or in the
 * future, `not_found` where there is no such part, `stale_base` if a commit comes in between, `timeout`, `too_many_requests`.
 */
export async function reviewPart(
  cloud: Cloud,
  asked: {
    credential: Credential;
    at: string | undefined;
    asOf?: number | undefined;
    scope: ReviewScope;
    now: number;
  },
  signal: AbortSignal,
): Promise<PartReview> {
  const prepare = async (ends: AbortSignal) => {
    const { tenant, now: clock = asked.now } = await tenantAt(cloud, { ...asked, signal: ends });
    const { revision, id } = tenant;
    const row = await cloud.store.findRevision(id, { number: revisionNumber(revision) });
    if (row === undefined) throw new Error(`the store has no revision ${revision} of the tenant ${id}`);
    if (asked.asOf !== undefined) assertClock(asked.asOf, row.at, asked.now);
    const now = asked.asOf ?? clock;
    return { tenant, revision, committedAt: row.at, task: { scope: asked.scope, now, rowsMax: REVIEW_ROWS_MAX } };
  };
  const { prepared, found } = await cloud.drafts.review(prepare, { credential: asked.credential, signal });
  const { revision, committedAt, task } = prepared;
  return { revision, committed_at: committedAt, as_of: new Date(task.now).toISOString(), ...found };
}

function assertClock(asOf: number, committedAt: string, now: number): void {
  if (asOf >= Date.parse(committedAt) && asOf <= now) return;
  const detail = `is ${new Date(asOf).toISOString()}: it must be from ${committedAt}, when the revision was committed, until now.`;
  throw new ProblemError('invalid_request', `The clock of the review, as_of, ${detail}`, [
    { pointer: '/as_of', detail },
  ]);
}
