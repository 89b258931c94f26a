/** Finds what drafts would do, what would allow denied questions and what has changed, one after the other; see `draft-planner.ts`. */
import { randomUUID } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { computeImpact } from '@authz-service/core/impact/compute-impact';
import type { AccessReport } from '@authz-service/core/impact/report/access-report';
import { lintRecords } from '@authz-service/core/lint/lint-records';
import { planOfStaged } from '@authz-service/core/plan/plan-of-staged';
import { ProblemError } from '@authz-service/core/problem';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { reviewAccess, reviewChanges } from '@authz-service/core/review/review-access';
import type { Staged } from '@authz-service/core/state/change';
import { revisionNumber } from '@authz-service/core/state/revision';
import { TenantState } from '@authz-service/core/state/tenant-state';
import { finished } from '@authz-service/core/time-slicing';
import { type WhyNot, whyNot } from '@authz-service/core/why-not/why-not';
import { guardSession } from '../console/guard-session.js';
import type {
  Denied,
  Draft,
  DraftBase,
  DraftFound,
  DraftPlan,
  DraftSaid,
  DraftTask,
  DraftTold,
  EarlierState,
} from './draft-work.js';

let base: (DraftBase & { records: StoredRecord[]; state?: TenantState }) | undefined;

parentPort?.on('message', (told: DraftTold) => {
  if ('base' in told) base = { ...told.base, records: [] };
  else if ('records' in told) base?.records.push(...told.records);
  else parentPort?.postMessage(said(told.task));
});

function said(task: DraftTask): DraftSaid {
  try {
    return { found: foundBy(task) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code, detail, errors } = error;
    return { fault: { code, detail, errors } };
  }
}

function foundBy(task: DraftTask): DraftFound {
  if ('draft' in task) return planOf(task.draft);
  if ('denied' in task) return allowanceOf(task.denied);
  if ('lint' in task) return lintRecords(present().records, task.lint.now);
  if ('earlier' in task) return changeSince(task.earlier);
  if ('reviewed' in task) {
    const { scope, now } = task.reviewed;
    const { before, after } = statesOf(task.reviewed);
    return finished(reviewChanges(before, after, scope, { now }));
  }
  const { scope, ...options } = task.review;
  return finished(reviewAccess(present().records, scope, options));
}

function planOf({ stack, changes, writer, inConsole, now }: Draft): DraftPlan {
  const ofBase = present();
  const { tenant, revision, records } = ofBase;
  ofBase.state ??= new TenantState(records);
  const staged = ofBase.state.stage(changes, {
    stack,
    ...(writer && { writer }),
    withNobodys: inConsole !== undefined,
    reportRules: true,
    now: new Date(now),
    newId: randomUUID,
    revision: revisionNumber(revision) + 1,
  });
  if (inConsole !== undefined) guardSession(inConsole.applications, ofBase.state, staged);
  const plan = planOfStaged(staged, { tenant, stack, revision, records });
  const { delta } = finished(computeImpact({ records }, { records: recordsAfter(records, staged) }, { now }));
  return { ...plan, access: delta, violations: staged.warnings ?? [] };
}

function allowanceOf({ request, now }: Denied): WhyNot {
  return whyNot(present().records, request, { now });
}

function changeSince(earlier: EarlierState): AccessReport {
  const { before, after } = statesOf(earlier);
  return finished(computeImpact({ records: before }, { records: after }, { now: earlier.now })).delta;
}

function statesOf({ unlike, records }: EarlierState) {
  const after = present().records;
  const differing = new Set(unlike);
  return { before: [...after.filter(({ address }) => !differing.has(address)), ...records], after };
}

function present(): NonNullable<typeof base> {
  if (base === undefined) throw new Error('a task came before its base');
  return base;
}

function recordsAfter(records: readonly StoredRecord[], { put, remove }: Staged): StoredRecord[] {
  const gone = new Set([...remove, ...put.flatMap(({ previous }) => previous ?? [])]);
  return [...records.filter((record) => !gone.has(record)), ...put.map(({ record }) => record)];
}
