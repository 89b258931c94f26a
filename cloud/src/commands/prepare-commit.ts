import { randomUUID } from 'node:crypto';
import { finished, type TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import type { Writer } from '@authz-service/core/limits/writer';
import type { Change, Staged } from '@authz-service/core/state/change';
import type { TenantState } from '@authz-service/core/state/tenant-state';
import type { AuditedChange, AuditRow, Commit } from '../store/store.js';
import { type MadeSecret, type MintOrder, mintSecrets } from './mint-secrets.js';
import { type DeclaredOrigins, settleOrigins, sourceOf } from './settle-origins.js';

/** Who commits what, and when. */
export interface CommitOrder extends MintOrder {
  changes: Change[];
  /** The stack that owns the changes; without one, ownership is not checked. */
  stack?: string;
  takeOwnership?: boolean;
  /** Whether a session of the console sends it. */
  session?: boolean;
  /** Whether links of other stacks that grant what this stack owns may be removed. */
  exclusive?: boolean;
  /** Who writes, where it may not write everything. */
  writer?: Writer;
  /** The places of the records that the changes write. */
  origins?: DeclaredOrigins;
  by: AuditRow['credential'];
  requestId: string;
  /** Milliseconds since the epoch. */
  now: number;
}

/** A commit that is ready to be stored. */
export interface PreparedCommit {
  staged: Staged;
  commit: Commit;
  secrets: MadeSecret[];
}

/** The largest number of changes that the audit row of a commit names. */
const AUDITED_MAX = 100;

/**
 * Stages changes on a tenant's state and creates the secrets of new credentials. Undefined if the changes have no
 * effect. Throws what `TenantState.stage` throws. `run` does the work in steps; the state must not change meanwhile.
 */
export async function prepareCommit(
  tenant: { id: string; state: TenantState; revisionNumber: number; committedAt: number },
  order: CommitOrder,
  check: (staged: Staged) => void = () => {},
  run: TimeSlicing['run'] = async (steps) => finished(steps),
): Promise<PreparedCommit | undefined> {
  const revision = tenant.revisionNumber + 1;
  // A clock that was set back is not recorded: the times of a tenant's commits never decrease.
  const at = new Date(Math.max(order.now, tenant.committedAt));
  const steps = tenant.state.stageInSteps(order.changes, {
    ...(order.stack !== undefined && { stack: order.stack }),
    takeOwnership: order.takeOwnership ?? false,
    exclusive: order.exclusive ?? false,
    session: order.session ?? false,
    ...(order.writer && { writer: order.writer }),
    now: at,
    newId: () => order.given?.clientId ?? randomUUID(),
    revision,
  });
  const staged = await run(steps);
  check(staged);
  if (staged.put.length === 0 && staged.remove.length === 0) return undefined;

  const { stored, shown } = mintSecrets(staged, order);
  const { changes, truncated } = audited(staged);
  const source = sourceOf(order.origins);
  const audit: AuditRow = {
    revision,
    digest: await run(tenant.state.digestInSteps(staged)),
    at: at.toISOString(),
    request_id: order.requestId,
    credential: order.by,
    ...(order.stack !== undefined && { stack: order.stack }),
    ...(source !== undefined && { source }),
    counts: countsOf(staged),
    changes,
    truncated,
  };
  const commit: Commit = {
    tenant: tenant.id,
    base: tenant.revisionNumber,
    baseDigest: tenant.state.digest(),
    revision,
    put: staged.put,
    remove: staged.remove,
    secrets: stored,
    origins: order.origins
      ? await run(settleOrigins(order.origins, { ...order, staged, state: tenant.state }))
      : new Map(),
    audit,
  };
  return { staged, commit, secrets: shown };
}

export function countsOf(staged: Staged): AuditRow['counts'] {
  const changed = staged.put.filter(({ previous }) => previous !== undefined).length;
  return { added: staged.put.length - changed, changed, removed: staged.remove.length };
}

function audited(staged: Staged): { changes: AuditedChange[]; truncated: boolean } {
  const changes: AuditedChange[] = [];
  for (const { record, previous } of staged.put) {
    if (changes.length === AUDITED_MAX) return { changes, truncated: true };
    const { address } = record;
    if (previous === undefined) changes.push({ op: 'create', address });
    else if (previous.address !== address) changes.push({ op: 'move', address, from: previous.address });
    else changes.push({ op: 'update', address });
  }
  for (const { address } of staged.remove) {
    if (changes.length === AUDITED_MAX) return { changes, truncated: true };
    changes.push({ op: 'delete', address });
  }
  return { changes, truncated: false };
}
