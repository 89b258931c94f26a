import { ProblemError } from '@authz-service/core/problem';

/** A fault of what holds the database, and its remedy. */
export interface StorageFault {
  what: string;
  remedy: string;
  /** Whether the change may have been made all the same. */
  uncertain?: true;
}

/** The error detail for a caller whose request hit the fault. */
export function storageFailed(
  fault: StorageFault,
  { writing, cause }: { writing: boolean; cause?: unknown },
): ProblemError {
  return new ProblemError('storage_failed', writing ? changeFailed(fault) : faultText(fault), [], { cause });
}

export function faultText({ what, remedy }: StorageFault): string {
  return `${what}: ${remedy}.`;
}

function changeFailed({ what, remedy, uncertain }: StorageFault): string {
  return uncertain
    ? `${what}: ${remedy}, then check whether the change was made.`
    : `${what}, and nothing was changed: ${remedy}, then send it again.`;
}
