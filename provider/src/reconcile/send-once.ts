import type { Plan } from '@authz-service/core/plan/plan';
import { ProblemError } from '@authz-service/core/problem';
import { equalJson } from '@authz-service/core/state/equal-json';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { ChangesetRequest, ChangesetResult, TenantSnapshot } from '@authz-service/sdk/wire';

/** The methods of the client that reconciling needs. */
export type CloudClient = Pick<ServiceClient, 'state' | 'changeset'>;

/** How long an interrupted apply still waits for the answer to changes that were already sent. */
const GRACE_MS = 5_000;
/** How long a slow cloud may take to commit, and how much longer for each change. */
const ATTEMPT_MS = 60_000;
const CHANGE_MS = 5;
/** How long the check of what became of an unanswered change-set may take. */
const LOOK_MS = 5_000;

export type Progress =
  | { phase: 'sending'; changes: number }
  /** The user wants to stop, but the changes have been sent: the answer is still awaited. */
  | { phase: 'interrupted'; waitMs: number }
  | { phase: 'replanning' }
  | { phase: 'done'; revision: string };

/** An apply that its user stopped. The message says what became of the changes. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(
    message: string,
    /** Whether the tenant holds the changes; undefined if that could not be found out. */
    readonly applied: boolean | undefined,
  ) {
    super(message);
  }
}

interface SendOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

/**
 * Sends the change-set under one idempotency key, so that it is applied once however often it has to be sent. If the
 * signal aborts before, nothing is sent. Once it has been sent, the answer is still awaited during a grace period,
 * since the change cannot be recalled and secrets are shown only once. If no answer arrives, the tenant is read again,
 * and the error says whether it holds the changes.
 */
export async function sendOnce(
  client: CloudClient,
  plan: Plan,
  body: ChangesetRequest,
  idempotencyKey: string,
  { signal, onProgress }: SendOptions,
): Promise<ChangesetResult> {
  if (signal?.aborted) throw new Interrupted('Interrupted before anything was sent: nothing was changed.', false);
  const giveUp = new AbortController();
  let grace: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    onProgress?.({ phase: 'interrupted', waitMs: GRACE_MS });
    grace = setTimeout(() => giveUp.abort(new Interrupted('Interrupted.', undefined)), GRACE_MS);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    onProgress?.({ phase: 'sending', changes: body.changes.length });
    const attemptTimeoutMs = ATTEMPT_MS + CHANGE_MS * body.changes.length;
    const limits = { attemptTimeoutMs, timeoutMs: 2 * attemptTimeoutMs };
    const result = await client.changeset(body, { idempotencyKey, signal: giveUp.signal, ...limits });
    onProgress?.({ phase: 'done', revision: result.revision });
    return result;
  } catch (error) {
    const unanswered = error instanceof ProblemError && (error.code === 'network' || error.code === 'timeout');
    if (!unanswered && !(error instanceof Interrupted)) throw error;
    const state = await readAppliedState(client, plan);
    if (error instanceof Interrupted)
      throw new Interrupted(
        `Interrupted: ${STATE_TEXTS[state]}`,
        state === 'unknown' ? undefined : state === 'applied',
      );
    throw new ProblemError(error.code, `${error.detail} As to this apply: ${STATE_TEXTS[state]}`, error.errors, {
      cause: error,
    });
  } finally {
    clearTimeout(grace);
    signal?.removeEventListener('abort', onAbort);
  }
}

type AppliedState = 'applied' | 'not_applied' | 'unknown';

const STATE_TEXTS: { [F in AppliedState]: string } = {
  applied: 'the tenant holds all the changes. Apply again to be told that nothing is left to do.',
  not_applied: 'no change had been made when the tenant was read again. Apply again to make them.',
  unknown: 'whether the changes were made is not known. Apply again: it makes only the changes that are still missing.',
};

/** Change-sets are applied completely or not at all, so reading the tenant once is enough to tell. */
async function readAppliedState(client: CloudClient, plan: Plan): Promise<AppliedState> {
  try {
    const look = { ifNoneMatch: plan.base_revision, timeoutMs: LOOK_MS };
    const snapshot = await client.state(look);
    if (snapshot === undefined) return 'not_applied';
    return holds(snapshot, plan) ? 'applied' : 'not_applied';
  } catch {
    return 'unknown';
  }
}

/** Whether the tenant is as the plan would have made it, judged by the records that the plan touches. */
function holds(snapshot: TenantSnapshot, plan: Plan): boolean {
  const records = new Map(snapshot.records.map((record) => [record.address, record]));
  return plan.changes.every((change) => {
    const record = records.get(change.address);
    if (change.action === 'delete') return record === undefined;
    if (record === undefined || record.managed_by !== plan.stack) return false;
    return change.action === 'adopt' || equalJson(record.fields, change.fields);
  });
}
