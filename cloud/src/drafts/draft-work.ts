import type { Violation } from '@authz-service/core/access-rules/violation';
import type { DecisionRequest } from '@authz-service/core/decision/api/request';
import type { AccessReport } from '@authz-service/core/impact/report/access-report';
import type { Writer } from '@authz-service/core/limits/writer';
import type { LintFinding } from '@authz-service/core/lint/lint-finding';
import type { Plan } from '@authz-service/core/plan/plan';
import type { ProblemCode, ProblemItem } from '@authz-service/core/problem';
import type { Address } from '@authz-service/core/records/address';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { AccessReview, ReviewChanges, ReviewOptions } from '@authz-service/core/review/review-access';
import type { ReviewScope } from '@authz-service/core/review/review-scope';
import type { Change } from '@authz-service/core/state/change';
import type { WhyNot } from '@authz-service/core/why-not/why-not';

/** A tenant at a revision, whose records are sent in parts before the first task on it. */
export interface DraftBase {
  /** The id of the tenant and the revision. */
  key: string;
  tenant: string;
  revision: string;
}

/** Changes that somebody thinks of making. */
export interface Draft {
  stack: string;
  changes: readonly Change[];
  /** Who would make them, where that is limited. */
  writer?: Writer;
  /** It is to be committed in the console: the applications of the session's limits. */
  inConsole?: { applications: readonly string[] };
  /** Milliseconds since the epoch. */
  now: number;
}

/** What a draft would do. */
export interface DraftPlan extends Plan {
  access: AccessReport;
  violations: readonly Violation[];
}

/** A question about the base, whose denial shall become an allowance. */
export interface Denied {
  request: DecisionRequest;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Another state to compare the base with, as what differs: the base is the state after it. */
export interface EarlierState {
  /** Which records of the base it did not have, or not so. */
  unlike: readonly Address[];
  /** The records that it had in place of them. */
  records: readonly StoredRecord[];
  /** The start of what is looked at: milliseconds since the epoch. */
  now: number;
}

/** Who has access to a part of the base. */
export interface ReviewTask extends ReviewOptions {
  scope: ReviewScope;
}

/** What has changed in who has access to a part since an earlier state. */
export interface ReviewedTask extends EarlierState {
  scope: ReviewScope;
}

/** What the thread can find out about its base. */
export type DraftTask =
  | { draft: Draft }
  | { denied: Denied }
  | { earlier: EarlierState }
  | { review: ReviewTask }
  | { reviewed: ReviewedTask }
  /** What of the base does nothing; `now` is milliseconds since the epoch. */
  | { lint: { now: number } };

export type DraftFound = DraftPlan | WhyNot | AccessReport | AccessReview | ReviewChanges | readonly LintFinding[];

/** What the thread is told: another base begins with `base`. */
export type DraftTold = { base: DraftBase } | { records: StoredRecord[] } | { task: DraftTask };

/** What the thread says, once for each task. */
export type DraftSaid =
  | { found: DraftFound }
  | { fault: { code: ProblemCode; detail: string; errors: readonly ProblemItem[] } };
