import { ProblemError } from '@authz-service/core/problem';
import type { ProblemDocument } from '../contract/problem-document.js';
import { PROBLEM_STATUS } from './problem-status.js';

export const PROBLEM_TYPE = 'application/problem+json';

/** A refusal in the format of RFC 9457. */
export function problemDocument({ code, title, detail, errors }: ProblemError, requestId: string): ProblemDocument {
  return {
    type: `urn:authz-service:problem:${code}`,
    title,
    status: PROBLEM_STATUS[code],
    detail,
    code,
    ...(errors.length > 0 && { errors: [...errors] }),
    request_id: requestId,
  };
}

/** The seconds of `Retry-After` (RFC 9110 section 10.2.3): every problem with status 503 has it, so that callers know that it may pass. */
export function retryAfterOf({ code, retryAfterSeconds }: ProblemError): string | undefined {
  const seconds = retryAfterSeconds ?? (PROBLEM_STATUS[code] === 503 ? 1 : undefined);
  return seconds === undefined ? undefined : String(Math.ceil(seconds));
}

/** Returns what a caller sees of an error. An unexpected one has a fixed text; the log has its cause. */
export function shownProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  const detail = 'An internal error occurred: the log has the cause under the id of this request.';
  return new ProblemError('internal', detail, [], { cause: error });
}

/** Whether the caller has caused the problem, so that it needs no ERROR line. */
export function isExpected(error: unknown): boolean {
  return error instanceof ProblemError && PROBLEM_STATUS[error.code] < 500;
}
