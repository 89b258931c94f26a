import { ProblemError } from '@authz-service/core/problem';

/** A fault of what holds the database, and its remedy. */
export interface StorageFault {
  what: string;
  remedy: string;
  /** Whether the change may have been made all the same. */
  uncertain?: true;
  /** Whether it may pass by itself. */
  passing?: true;
}

/** The time that a caller waits for the database before it asks again. */
export const RETRY_AFTER_SECONDS = 5;

/**
 * The error for a caller whose request hit the fault. Clients repeat what is `not_ready`: only reads, and changes that surely
 * were not made and may soon be possible. Where a passing fault leaves open whether the change was made, it is `timeout`.
 */
export function storageFailed(
  fault: StorageFault,
  { writing, cause }: { writing: boolean; cause?: unknown },
): ProblemError {
  const { what, remedy, uncertain, passing } = fault;
  const later = { cause, retryAfterSeconds: RETRY_AFTER_SECONDS };
  if (!writing)
    return new ProblemError('not_ready', `${what}, so that nothing was read: ${remedy}, then ask again.`, [], later);
  if (!passing) return new ProblemError('storage_failed', changeFailed(fault), [], { cause });
  return new ProblemError(uncertain ? 'timeout' : 'not_ready', changeFailed(fault), [], later);
}

export function faultText({ what, remedy }: StorageFault): string {
  return `${what}: ${remedy}.`;
}

function changeFailed({ what, remedy, uncertain }: StorageFault): string {
  return uncertain
    ? `${what}: ${remedy}, then check whether the change was made.`
    : `${what}, and nothing was changed: ${remedy}, then send it again.`;
}
