/** Finds what drafts would do, one after the other; see `draft-planner.ts`. */
import { randomUUID } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { computeImpact } from '@authz-service/core/impact/compute-impact';
import { planOfStaged } from '@authz-service/core/plan/plan-of-staged';
import { ProblemError } from '@authz-service/core/problem';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Staged } from '@authz-service/core/state/change';
import { revisionNumber } from '@authz-service/core/state/revision';
import { TenantState } from '@authz-service/core/state/tenant-state';
import { finished } from '@authz-service/core/time-slicing';
import type { Draft, DraftBase, DraftPlan, DraftSaid, DraftTold } from './draft-work.js';

let base: (DraftBase & { records: StoredRecord[]; state?: TenantState }) | undefined;

parentPort?.on('message', (told: DraftTold) => {
  if ('base' in told) base = { ...told.base, records: [] };
  else if ('records' in told) base?.records.push(...told.records);
  else parentPort?.postMessage(said(told.draft));
});

function said(draft: Draft): DraftSaid {
  try {
    return { plan: planOf(draft) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code, detail, errors } = error;
    return { fault: { code, detail, errors } };
  }
}

function planOf({ stack, changes, writer, now }: Draft): DraftPlan {
  if (base === undefined) throw new Error('a draft came before its base');
  const { tenant, revision, records } = base;
  base.state ??= new TenantState(records);
  const staged = base.state.stage(changes, {
    stack,
    ...(writer && { writer }),
    reportRules: true,
    now: new Date(now),
    newId: randomUUID,
    revision: revisionNumber(revision) + 1,
  });
  const plan = planOfStaged(staged, { tenant, stack, revision, records });
  const { delta } = finished(computeImpact({ records }, { records: recordsAfter(records, staged) }, { now }));
  return { ...plan, access: delta, violations: staged.warnings ?? [] };
}

function recordsAfter(records: readonly StoredRecord[], { put, remove }: Staged): StoredRecord[] {
  const gone = new Set([...remove, ...put.flatMap(({ previous }) => previous ?? [])]);
  return [...records.filter((record) => !gone.has(record)), ...put.map(({ record }) => record)];
}
