import type { ReviewScope } from '@authz-service/core/questions/review/review-scope';
import { historyPoint } from '@authz-service/core/state/history-point';
import type { ReviewedSince } from '../analysis/analysis-tasks.js';
import type { Credential } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { type ComparedMoment, twoMoments } from './compare-revisions.js';

/** The changes in who has access in a scope. */
export interface AccessChanges extends ReviewedSince {
  before: ComparedMoment;
  after: ComparedMoment;
}

interface AccessChangesQuery {
  credential: Credential;
  scope: ReviewScope;
  /** A revision, or with `timed` also a time. */
  before: string;
  /** Whether links that have begun or ended since count, too, and not only changed records. */
  timed: boolean;
  now: number;
}

/**
 * Finds what has changed in who has access in a scope between a moment and now. Throws as `tenantAt` does, and what the
 * analyzer throws.
 */
export async function accessChanges(
  cloud: Cloud,
  asked: AccessChangesQuery,
  signal: AbortSignal,
): Promise<AccessChanges> {
  const { credential, scope, before, timed, now } = asked;
  const point = historyPoint(before);
  const prepare = async (ends: AbortSignal) => {
    const moments = await twoMoments(cloud, { credential, before, after: undefined, now }, ends);
    const clock = point !== undefined && 'time' in point ? point.time : Date.parse(moments.earlier.committed_at);
    return { ...moments, task: { ...moments.task, scope, ...(timed && { since: clock }) } };
  };
  const { prepared, found } = await cloud.analyzer.reviewChanges(prepare, { credential, signal });
  return { before: prepared.earlier, after: prepared.later, ...found };
}

/** A moment of the tenant's history, or its beginning where that is later than the time that `text` names. */
export async function withinHistory({ store }: Cloud, tenant: string, text: string): Promise<string> {
  const point = historyPoint(text);
  if (point === undefined || !('time' in point)) return text;
  const { oldest } = await store.historyStart(tenant);
  return point.time < Date.parse(oldest.at) ? oldest.at : text;
}
