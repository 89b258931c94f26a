import { ProblemError } from '@authz-service/core/problem';
import { PROBLEM_TYPE, problemDocument } from '@authz-service/core/wire/problem-document';
import { PROBLEM_STATUS } from '@authz-service/core/wire/problem-status';
import type { Reply } from './reply.js';

const CHALLENGE = 'Bearer realm="authz-service"';

/** Errors that the client has caused and that need no ERROR line. */
export function isExpected(error: unknown): error is ProblemError {
  return error instanceof ProblemError && PROBLEM_STATUS[error.code] < 500;
}

/** What a caller is told of an error: what is not a `ProblemError` is `internal`, with a fixed text. */
export function shownProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return new ProblemError('internal', 'Something went wrong here: report it with the request id.');
}

/**
 * An error as RFC 9457 problem details. `sent` says whether the request carried a credential.
 */
export function problemReply(
  error: unknown,
  requestId: string,
  { sent = true, headers = {} }: { sent?: boolean; headers?: Record<string, string> } = {},
): Reply {
  const problem = shownProblem(error);
  const document = problemDocument(problem, requestId);
  return {
    status: document.status,
    headers: { ...challenge(problem, sent), ...retryAfter(problem), ...headers },
    body: { type: PROBLEM_TYPE, content: JSON.stringify(document) },
  };
}

/** RFC 9110 section 10.2.3. */
function retryAfter({ retryAfterSeconds }: ProblemError): Record<string, string> {
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSeconds)) };
}

/** RFC 6750 section 3. */
function challenge(problem: ProblemError, sent: boolean): Record<string, string> {
  if (problem.code === 'unauthorized') {
    return { 'www-authenticate': sent ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE };
  }
  return problem.code === 'forbidden' ? { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope"` } : {};
}
