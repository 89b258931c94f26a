import type { Writer } from '@authz-service/core/limits/writer';
import type { Plan } from '@authz-service/core/plan/plan';
import type { ProblemCode, ProblemItem } from '@authz-service/core/problem';
import type { Violation } from '@authz-service/core/questions/access-rules/violation';
import type { AccessReport } from '@authz-service/core/questions/impact/report/access-report';
import type { LintFinding } from '@authz-service/core/questions/lint/lint-finding';
import type { ReviewList, ReviewPage, SignedReview } from '@authz-service/core/questions/review/found-review';
import type { ReviewChanges, ReviewOptions } from '@authz-service/core/questions/review/review-access';
import type { ReviewScope } from '@authz-service/core/questions/review/review-scope';
import type { WhyNot } from '@authz-service/core/questions/why-not/why-not';
import type { Address } from '@authz-service/core/records/address';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import type { Change } from '@authz-service/core/state/change';
import type { AuditedChange } from '../store/store.js';

/** A tenant at a revision, whose records are sent in parts before the first task on it. */
export interface AnalyzedBase {
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
  /** The most findings that are listed. */
  listedMax: number;
}

/** The plan of a draft, with its effect on access. */
export interface DraftPlan extends Plan {
  access: AccessReport;
  /** How many findings there are; the worst are told. */
  finding_count: number;
  violations: readonly Violation[];
}

/** A question about the base, whose denial shall become an allowance. */
export interface Denied {
  request: DecisionRequest;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Part of how an earlier state differs from the base, which is the state after it. */
export interface Differing {
  /** Which records of the base it did not have, or not so. */
  unlike: readonly Address[];
  /** The records that it had in place of them. */
  records: readonly StoredRecord[];
}

/** Two states to compare: the base, and an earlier one whose differences are sent in parts before the task. */
export interface ComparedTask {
  /** The start of what is looked at: milliseconds since the epoch. */
  now: number;
  /** The most changes and findings that are listed. */
  listedMax: number;
}

/** The differences between two states, without credentials, which are in no history. */
export interface StatesCompared {
  /** By address; the first ones. */
  changes: readonly AuditedChange[];
  counts: { added: number; changed: number; removed: number };
  access: AccessReport;
  /** How many findings there are; the worst are told. */
  finding_count: number;
}

/** Who has access in a scope of the base. */
export interface ReviewTask extends ReviewOptions {
  scope: ReviewScope;
  question: ReviewQuestion;
}

/** A page of a review, or what a sign-off of it keeps with the rows of these ids. */
export type ReviewQuestion = { list: ReviewList } | { marked: readonly string[] };

/** A comparison of who has access in a scope now and in an earlier state. */
export interface ReviewedTask extends ComparedTask {
  scope: ReviewScope;
  /** The clock of the earlier state, where what has ended since counts, too. */
  since?: number | undefined;
}

/** The worst of what has changed. */
export interface ReviewedSince extends ReviewChanges {
  finding_count: number;
}

/** Finds unused records of the base. */
export interface LintTask {
  /** Milliseconds since the epoch. */
  now: number;
  listedMax: number;
}

/** The proven findings first. */
export interface Linted {
  total: number;
  findings: readonly Pick<LintFinding, 'rule' | 'certainty' | 'address' | 'detail'>[];
}

/** A question that the thread can answer about its base. */
export type AnalysisTask =
  | { draft: Draft }
  | { denied: Denied }
  | { compared: ComparedTask }
  | { review: ReviewTask }
  | { reviewed: ReviewedTask }
  | { lint: LintTask };

export type AnalysisResult = DraftPlan | WhyNot | StatesCompared | ReviewPage | SignedReview | ReviewedSince | Linted;

/** A message to the thread: another base begins with `base`, and the task is about the differences since the last one. */
export type WorkerRequest =
  | { base: AnalyzedBase }
  | { records: StoredRecord[] }
  | { differing: Differing }
  | { task: AnalysisTask };

/** The answer of the thread, once for each task. */
export type WorkerResponse =
  | { found: AnalysisResult }
  | { fault: { code: ProblemCode; detail: string; errors: readonly ProblemItem[] } };
