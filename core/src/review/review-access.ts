import { compileInSteps } from '../decision/compile-engine.js';
import type { Finding, FindingResources } from '../impact/api/finding.js';
import type { ImpactOptions } from '../impact/api/side.js';
import { computeImpact } from '../impact/compute-impact.js';
import type { Path } from '../records/address.js';
import type { StoredRecord } from '../records/registry.js';
import { AccessWays, type Way } from './access-ways.js';
import { findingInScope } from './findings-in-scope.js';
import { ReviewRows } from './review-rows.js';
import { type ReviewScope, type ScopedRecords, scopedRecords } from './review-scope.js';

/** Who a row is about: a recorded subject, all without a record of a type, or whoever a request names a role for. */
export type RowSubject =
  | { readonly kind: 'recorded'; readonly path: Path; readonly name?: string }
  | { readonly kind: 'unrecorded'; readonly type: string }
  | { readonly kind: 'named_role'; readonly role: Path };

/** What one subject may do to resources of one type, under one condition. */
export interface ReviewedAccess {
  /** 16 hex digits that hang on all that it says. */
  readonly id: string;
  readonly subject: RowSubject;
  /** Sorted; `*` stands for every action but those of `actions_except`. */
  readonly actions: readonly string[];
  readonly actions_except?: readonly string[];
  /** All of one type. */
  readonly resources: readonly FindingResources[];
  /** What a request must satisfy besides, as Service CEL; null where nothing remains open. */
  readonly condition: string | null;
  /** True where it cannot be said whether it is allowed. */
  readonly unclear?: true;
  /** RFC 3339; null from now on. */
  readonly from: string | null;
  /** RFC 3339; null without end. */
  readonly until: string | null;
}

export interface ReviewRow extends ReviewedAccess {
  /** How the subject comes to it, shown for one of the actions on one of the resources. */
  readonly ways: readonly Way[];
}

/** Who has access to a part of a tenant. */
export interface AccessReview {
  /** By subject; the first ones if there are too many. */
  readonly rows: readonly ReviewRow[];
  /** How many rows there are. */
  readonly count: number;
  /** False if there was too much to look at. */
  readonly complete: boolean;
}

export interface ReviewOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly rowsMax: number;
}

/**
 * Everything that somebody may do with a part of a tenant: the access delta from a state in which nobody is given any
 * policy. Throws `not_found` where there is no such part.
 */
export function* reviewAccess(
  all: readonly StoredRecord[],
  scope: ReviewScope,
  { now, rowsMax }: ReviewOptions,
): Generator<undefined, AccessReview> {
  const scoped = scopedRecords(all, scope);
  const nobody = scoped.records.filter(({ kind }) => kind !== 'policy_assignment');
  const impact = yield* computeImpact({ records: nobody }, scoped, { now, explained: false });
  const rowsOf = new ReviewRows(scoped);
  for (const finding of impact.delta.findings) {
    yield;
    const recorded = impact.resourcesOf(finding);
    const told = findingInScope(finding, recorded, scope, scoped);
    if (told !== undefined) yield* rowsOf.add(told, recorded, impact.subjectsOf(finding));
  }
  const drafts = yield* rowsOf.all();
  const ways = new AccessWays(yield* compileInSteps(scoped.records), scoped.records, now);
  const rows: ReviewRow[] = [];
  for (const draft of drafts.slice(0, rowsMax)) {
    if (rows.length % 50 === 0) yield;
    rows.push({ ...draft, ...nameOf(draft.subject, ways), ways: ways.of(draft) });
  }
  return { rows, count: drafts.length, complete: impact.delta.complete !== false };
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

function nameOf(subject: RowSubject, ways: AccessWays): { subject: RowSubject } | undefined {
  if (subject.kind !== 'recorded') return undefined;
  const name = ways.nameOf(subject.path);
  return name === undefined ? undefined : { subject: { ...subject, name } };
}
