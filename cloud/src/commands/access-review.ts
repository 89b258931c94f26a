import { ProblemError } from '@authz-service/core/problem';
import type { ReviewList, ReviewPage, SignedReview } from '@authz-service/core/questions/review/found-review';
import type { ReviewScope } from '@authz-service/core/questions/review/review-scope';
import { revisionNumber } from '@authz-service/core/state/revision';
import type { ReviewQuestion } from '../analysis/analysis-tasks.js';
import type { Credential } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { tenantAt } from './tenant-at.js';

/** As of when a scope is reviewed. */
interface ReviewedMoment {
  revision: string;
  /** RFC 3339: when the revision was committed. */
  committed_at: string;
  /** RFC 3339: the clock, from which on it is looked at. */
  as_of: string;
}

/** A page of who has access in a scope. */
export interface AccessReview extends ReviewedMoment, ReviewPage {}

/** The scope under review, and as of when; `asOf` is in milliseconds since the epoch. */
export interface AskedReview {
  credential: Credential;
  at: string | undefined;
  asOf?: number | undefined;
  scope: ReviewScope;
  now: number;
}

/**
 * A page of who has access in a scope of the credential's tenant, now or at a past moment, from `asOf` on, which is the clock of the
 * moment if absent. Throws as `tenantAt` does, `invalid_request` for a clock before the revision or in the future, `not_found` where
 * there is no such scope or row, `stale_base` if a commit comes in between, `timeout`, `too_many_requests`.
 */
export async function accessReview(
  cloud: Cloud,
  asked: AskedReview & { list: ReviewList },
  signal: AbortSignal,
): Promise<AccessReview> {
  const { moment, found } = await reviewed(cloud, asked, { list: asked.list }, signal);
  return { ...moment, ...(found as ReviewPage) };
}

/** Returns what a sign-off of a scope keeps, with the rows and members of rows of these ids. Throws as `accessReview` does. */
export async function signedReview(
  cloud: Cloud,
  asked: AskedReview & { marked: readonly string[] },
  signal: AbortSignal,
): Promise<ReviewedMoment & SignedReview> {
  const { moment, found } = await reviewed(cloud, asked, { marked: asked.marked }, signal);
  return { ...moment, ...(found as SignedReview) };
}

async function reviewed(cloud: Cloud, asked: AskedReview, question: ReviewQuestion, signal: AbortSignal) {
  const prepare = async (ends: AbortSignal) => {
    const { tenant, now: clock = asked.now } = await tenantAt(cloud, { ...asked, signal: ends });
    const { revision, id } = tenant;
    const row = await cloud.store.findRevision(id, { number: revisionNumber(revision) });
    if (row === undefined) throw new Error(`the store has no revision ${revision} of the tenant ${id}`);
    if (asked.asOf !== undefined) assertClock(asked.asOf, row.at, asked.now);
    const now = asked.asOf ?? clock;
    return { tenant, revision, committedAt: row.at, task: { scope: asked.scope, now, question } };
  };
  const { prepared, found } = await cloud.analyzer.review(prepare, { credential: asked.credential, signal });
  const { revision, committedAt, task } = prepared;
  const moment: ReviewedMoment = { revision, committed_at: committedAt, as_of: new Date(task.now).toISOString() };
  return { moment, found };
}

function assertClock(asOf: number, committedAt: string, now: number): void {
  if (asOf >= Date.parse(committedAt) && asOf <= now) return;
  const detail = `is ${new Date(asOf).toISOString()}: it must be from ${committedAt}, when the revision was committed, until now.`;
  throw new ProblemError('invalid_request', `The clock of the review, as_of, ${detail}`, [
    { pointer: '/as_of', detail },
  ]);
}
