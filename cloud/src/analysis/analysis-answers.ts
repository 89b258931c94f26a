import { randomUUID } from 'node:crypto';
import { planOfStaged } from '@authz-service/core/plan/plan-of-staged';
import { ProblemError } from '@authz-service/core/problem';
import { computeImpact } from '@authz-service/core/questions/impact/compute-impact';
import { lintRecords } from '@authz-service/core/questions/lint/lint-records';
import type { FoundReview, ReviewPage, SignedReview } from '@authz-service/core/questions/review/found-review';
import { reviewAccess, reviewChanges } from '@authz-service/core/questions/review/review-access';
import { whyNot } from '@authz-service/core/questions/why-not/why-not';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Staged } from '@authz-service/core/state/change';
import { revisionNumber } from '@authz-service/core/state/revision';
import { TenantState } from '@authz-service/core/state/tenant-state';
import { guardSession } from '../console/guard-session.js';
import type * as tasks from './analysis-tasks.js';
import { changesBetween } from './changes-between.js';

/** The records that tasks are about. */
export interface Base extends tasks.AnalyzedBase {
  records: StoredRecord[];
  state?: TenantState;
  /** The last review, of which pages are asked for one by one. */
  review?: { key: string; found: FoundReview };
}

/**
 * Returns what the thread finds out about its base; `differing` is how an earlier state differs from it. Only as much is
 * told as is shown, since the process that decides has to read all of it in one turn.
 */
export function answerOf(
  task: tasks.AnalysisTask,
  base: Base,
  differing: readonly tasks.Differing[],
): tasks.AnalysisResult {
  const { records } = base;
  // It takes as much memory as what else is asked for.
  if (!('review' in task)) delete base.review;
  if ('draft' in task) return planOf(base, task.draft);
  if ('denied' in task) return whyNot(records, task.denied.request, { now: task.denied.now });
  if ('lint' in task) return linted(records, task.lint);
  if ('review' in task) return reviewed(base, task.review);
  const before = stateBefore(records, differing);
  if ('compared' in task) return compared(before, records, differing, task.compared);
  const { scope, now, since, listedMax } = task.reviewed;
  const { findings, complete } = reviewChanges(before, records, scope, { now, since });
  return { findings: findings.slice(0, listedMax), finding_count: findings.length, complete };
}

function reviewed(base: Base, { scope, now, question }: tasks.ReviewTask): ReviewPage | SignedReview {
  const key = JSON.stringify([scope.kind, scope.path, scope.actions, now]);
  if (base.review?.key !== key) {
    // Two would take twice the memory.
    delete base.review;
    base.review = { key, found: reviewAccess(base.records, scope, { now }) };
  }
  const { found } = base.review;
  if ('marked' in question) return found.signed(question.marked);
  const page = found.page(question.list);
  if (page === undefined)
    throw new ProblemError('not_found', `The review has no row "${question.list.row}": look at it again.`);
  return page;
}

function planOf(base: Base, { stack, changes, writer, inConsole, now, listedMax }: tasks.Draft): tasks.DraftPlan {
  const { tenant, revision, records } = base;
  base.state ??= new TenantState(records);
  const staged = base.state.stage(changes, {
    stack,
    ...(writer && { writer }),
    session: inConsole !== undefined,
    reportRules: true,
    now: new Date(now),
    newId: randomUUID,
    revision: revisionNumber(revision) + 1,
  });
  if (inConsole !== undefined) guardSession(inConsole.applications, base.state, staged);
  const plan = planOfStaged(staged, { tenant, stack, revision, records });
  const access = accessBetween(records, recordsAfter(records, staged), { now, listedMax });
  return { ...plan, ...access, violations: staged.warnings ?? [] };
}

function compared(
  before: readonly StoredRecord[],
  after: readonly StoredRecord[],
  differing: readonly tasks.Differing[],
  task: tasks.ComparedTask,
): tasks.StatesCompared {
  const { changes, counts } = changesBetween(after, differing);
  return { changes: changes.slice(0, task.listedMax), counts, ...accessBetween(before, after, task) };
}

/** Who may do what that could not before and the reverse: the worst of it. */
function accessBetween(
  before: readonly StoredRecord[],
  after: readonly StoredRecord[],
  { now, listedMax }: tasks.ComparedTask,
): Pick<tasks.StatesCompared, 'access' | 'finding_count'> {
  const { findings, ...delta } = computeImpact({ records: before }, { records: after }, { now }).delta;
  return { access: { ...delta, findings: findings.slice(0, listedMax) }, finding_count: findings.length };
}

function linted(records: readonly StoredRecord[], { now, listedMax }: tasks.LintTask): tasks.Linted {
  const all = lintRecords(records, now);
  const findings = all
    .toSorted((one, other) => Number(one.certainty === 'suspected') - Number(other.certainty === 'suspected'))
    .slice(0, listedMax)
    .map(({ rule, certainty, address, detail }) => ({ rule, certainty, address, detail }));
  return { total: all.length, findings };
}

function stateBefore(after: readonly StoredRecord[], differing: readonly tasks.Differing[]): StoredRecord[] {
  const unlike = new Set(differing.flatMap((part) => part.unlike));
  return [...after.filter(({ address }) => !unlike.has(address)), ...differing.flatMap((part) => part.records)];
}

function recordsAfter(records: readonly StoredRecord[], { put, remove }: Staged): StoredRecord[] {
  const gone = new Set([...remove, ...put.flatMap(({ previous }) => previous ?? [])]);
  return [...records.filter((record) => !gone.has(record)), ...put.map(({ record }) => record)];
}
