import type { ProblemError } from '@authz-service/core/problem';
import {
  PROBLEM_TYPE,
  problemDocument,
  retryAfterOf,
  shownProblem,
} from '@authz-service/pdp/transport/problem-document';
import type { Reply } from './reply.js';

const CHALLENGE = 'Bearer realm="authz-service"';

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
  const retryAfter = retryAfterOf(problem);
  return {
    status: document.status,
    headers: {
      ...challenge(problem, sent),
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      ...headers,
    },
    body: { type: PROBLEM_TYPE, content: JSON.stringify(document) },
  };
}

/** RFC 6750 section 3. */
function challenge(problem: ProblemError, sent: boolean): Record<string, string> {
  if (problem.code === 'unauthorized') {
    return { 'www-authenticate': sent ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE };
  }
  return problem.code === 'forbidden' ? { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope"` } : {};
}
