import { compileEngine } from '../../access/engine/compile-engine.js';
import type { ImpactOptions } from '../../access/universe/side.js';
import type { StoredRecord } from '../../records/registry.js';
import type { Finding } from '../impact/api/finding.js';
import { computeImpact } from '../impact/compute-impact.js';
import { AccessWays } from './access-ways.js';
import { findingInScope } from './findings-in-scope.js';
import { FoundReview } from './found-review.js';
import { PossibleWays } from './possible-ways.js';
import { ReviewRows } from './review-rows.js';
import { noScope, type ReviewScope, recordsOfSubject, type ScopedRecords, scopedRecords } from './review-scope.js';

export interface ReviewOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Everything that somebody may do in a scope: the access delta from a state in which nobody is given any policy. Throws
 * `not_found` where the tenant has no record of the scope.
 */
export function reviewAccess(all: readonly StoredRecord[], scope: ReviewScope, { now }: ReviewOptions): FoundReview {
  const scoped = scopedRecords(all, scope);
  const nobody = scoped.records.filter(({ kind }) => kind !== 'policy_assignment');
  const impact = computeImpact({ records: nobody }, scoped, { now, explained: false, byMembership: true });
  const rowsOf = new ReviewRows(scope, scoped);
  for (const finding of impact.delta.findings) {
    rowsOf.add(finding, impact.resourcesOf(finding), impact.alikeIn(finding));
  }
  const rows = rowsOf.all();
  const engine = compileEngine(scoped.records);
  const ways = new AccessWays(engine, scoped.records, now);
  return new FoundReview(
    rows,
    impact.delta.complete !== false,
    ways,
    new PossibleWays(engine, now, scope.kind === 'subject'),
  );
}

export interface ReviewChanges {
  /** Worst first. */
  readonly findings: readonly Finding[];
  /** False if there was too much to look at: more may have changed. */
  readonly complete: boolean;
}

export interface ReviewChangesOptions extends ImpactOptions {
  /**
   * The clock of the earlier state, in milliseconds since the epoch: what has ended or begun between it and `now` has changed,
   * too. Absent where only records count.
   */
  readonly since?: number | undefined;
}

/**
 * Returns what has changed in who has access in a scope. If one state lacks the scope, nobody had access there. Throws
 * `not_found` if both do; a subject needs no record.
 */
export function reviewChanges(
  before: readonly StoredRecord[],
  after: readonly StoredRecord[],
  scope: ReviewScope,
  { since, ...options }: ReviewChangesOptions,
): ReviewChanges {
  const earlier = since === undefined ? before : asBefore(before, since, options.now);
  const [old, present] = [scopedIfThere(earlier, scope), scopedIfThere(after, scope)];
  if (old === undefined && present === undefined) throw noScope(scope, 'at either moment');
  const impact = computeImpact(
    { records: old?.records ?? withoutAccess(earlier) },
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
  // A subject without a record may do what everyone of its type may.
  if (scope.kind === 'subject') return recordsOfSubject(records, scope.path);
  const wanted = `${scope.kind}/${scope.path}`;
  return records.some(({ address }) => address === wanted) ? scopedRecords(records, scope) : undefined;
}

function withoutAccess(records: readonly StoredRecord[]): StoredRecord[] {
  return records.filter(({ kind }) => kind !== 'policy_assignment');
}

/** The state as it was at `since`, for one who looks at it at `now`: links and suspensions that have ended go on, and links that have begun are not there. */
function asBefore(records: readonly StoredRecord[], since: number, now: number): StoredRecord[] {
  const isBetween = (time: string | undefined) =>
    time !== undefined && Date.parse(time) > since && Date.parse(time) <= now;
  return records.flatMap((record): StoredRecord[] => {
    if (record.kind === 'subject' && isBetween(record.fields.suspended_until)) {
      const { suspended_until: _, ...fields } = record.fields;
      return [{ ...record, fields: { ...fields, suspended: true } }];
    }
    if (!isLink(record)) return [record];
    const { expires_at, ...fields } = record.fields;
    if (isBetween(fields.starts_at)) return [];
    return [isBetween(expires_at) ? ({ ...record, fields } as StoredRecord) : record];
  });
}

function isLink(
  record: StoredRecord,
): record is StoredRecord<'policy_assignment' | 'role_assignment' | 'group_membership'> {
  return ['policy_assignment', 'role_assignment', 'group_membership'].includes(record.kind);
}
