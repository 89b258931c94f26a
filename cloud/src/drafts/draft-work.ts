import type { Violation } from '@authz-service/core/access-rules/violation';
import type { AccessReport } from '@authz-service/core/impact/report/access-report';
import type { Writer } from '@authz-service/core/limits/writer';
import type { Plan } from '@authz-service/core/plan/plan';
import type { ProblemCode, ProblemItem } from '@authz-service/core/problem';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Change } from '@authz-service/core/state/change';

/** A tenant at a revision, whose records are sent in parts before the first draft on it. */
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
  /** Milliseconds since the epoch. */
  now: number;
}

/** What a draft would do. */
export interface DraftPlan extends Plan {
  access: AccessReport;
  violations: readonly Violation[];
}

/** What the thread is told: another base begins with `base`. */
export type DraftTold = { base: DraftBase } | { records: StoredRecord[] } | { draft: Draft };

/** What the thread says, once for each draft. */
export type DraftSaid =
  | { plan: DraftPlan }
  | { fault: { code: ProblemCode; detail: string; errors: readonly ProblemItem[] } };
