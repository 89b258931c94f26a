import { compileInSteps } from '../decision/compile-engine.js';
import type { Finding } from '../impact/api/finding.js';
import type { ImpactOptions } from '../impact/api/side.js';
import { computeImpact } from '../impact/compute-impact.js';
import type { StoredRecord } from '../records/registry.js';
import { AccessWays } from './access-ways.js';
import { findingInScope } from './findings-in-scope.js';
import { FoundReview } from './found-review.js';
import { PossibleWays } from './possible-ways.js';
import { ReviewRows } from './review-rows.js';
import { type ReviewScope, type ScopedRecords, scopedRecords } from './review-scope.js';

export interface ReviewOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Everything that somebody may do with a part of a tenant: the access delta from a state in which nobody is given any
 * policy. Throws `not_found` where there is no such part.
 */
export function* reviewAccess(
  all: readonly StoredRecord[],
  scope: ReviewScope,
  { now }: ReviewOptions,
): Generator<undefined, FoundReview> {
  const scoped = scopedRecords(all, scope);
  const nobody = scoped.records.filter(({ kind }) => kind !== 'policy_assignment');
  const impact = yield* computeImpact({ records: nobody }, scoped, { now, explained: false, byMembership: true });
  const rowsOf = new ReviewRows(scope, scoped);
  for (const finding of impact.delta.findings) {
    yield;
    yield* rowsOf.add(finding, impact.resourcesOf(finding), impact.alikeIn(finding));
  }
  const rows = yield* rowsOf.all();
  const engine = yield* compileInSteps(scoped.records);
  const ways = new AccessWays(engine, scoped.records, now);
  return new FoundReview(rows, impact.delta.complete !== false, ways, new PossibleWays(engine, now));
}

export interface ReviewChanges {
  /** Worst first. */
  readonly findings: readonly Finding[];
  /** False if there was too much to look at: more may have changed. */
  readonly complete: boolean;
}

/** What has changed in who has access to a part. Where one state lacks the part, nobody had access there. */
export function* reviewChanges(
  before: readonly StoredRecord[],
  after: readonly StoredRecord[],
  scope: ReviewScope,
  options: ImpactOptions,
): Generator<undefined, ReviewChanges> {
  const [old, present] = [scopedIfThere(before, scope), scopedIfThere(after, scope)];
  const impact = yield* computeImpact(
    { records: old?.records ?? withoutAccess(before) },
    { records: present?.records ?? withoutAccess(after) },
    options,
  );
  const findings = impact.delta.findings.flatMap((finding) => {
    const recorded = impact.resourcesOf(finding);
    const told = [present, old].map((scoped) => scoped && findingInScope(finding, recorded, scope, scoped));
    return told.find((one) => one !== undefined) ?? [];
  });
  return { findings, complete: impact.delta.complete !== false };
}

function scopedIfThere(records: readonly StoredRecord[], scope: ReviewScope): ScopedRecords | undefined {
  const wanted = `${scope.part}/${scope.path}`;
  return records.some(({ address }) => address === wanted) ? scopedRecords(records, scope) : undefined;
}

function withoutAccess(records: readonly StoredRecord[]): StoredRecord[] {
  return records.filter(({ kind }) => kind !== 'policy_assignment');
}
