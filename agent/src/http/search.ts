import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import { answerSearch } from '@authz-service/core/search/answer';
import type { Turns } from '@authz-service/core/turns';
import { PROBLEM_STATUS } from '@authz-service/core/wire/problem-status';
import { parseSearch, type SearchKind } from '@authz-service/core/wire/search-request';
import type { SearchResponse } from '@authz-service/core/wire/search-response';
import type { Logger } from '../log.js';
import { type AgentState, notReady } from '../state.js';
import { refusalOf } from './evaluation.js';
import { parseJsonBody } from './json-body.js';
import { readBody } from './read-body.js';
import { requestIdOf, sendJson, sendProblem } from './respond.js';

interface SearchOptions {
  state: AgentState;
  log: Logger;
  turns: Turns;
}

/**
 * `POST /access/v1/search/…` (AuthZEN 1.0 section 8). It is no decision: it counts as none, and is not in the decision
 * log.
 */
export function search(kind: SearchKind, options: SearchOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    readBody(request, (body) => {
      answer(kind, options, request.headers['content-type'], body)
        .then((found) => sendJson(response, found, requestIdOf(request)))
        .catch((error: unknown) => {
          const problem = refusalOf(error);
          const requestId = sendProblem(request, response, problem);
          if (PROBLEM_STATUS[problem.code] === 500)
            options.log.error({ request_id: requestId, code: problem.code, err: problem.cause }, 'search failed');
        });
    });
  };
}

async function answer(
  kind: SearchKind,
  { state, turns }: SearchOptions,
  contentType: string | undefined,
  body: Buffer | ProblemError,
): Promise<SearchResponse> {
  if (body instanceof ProblemError) throw body;
  if (state.served === undefined) throw notReady();
  const asked = parseSearch(kind, parseJsonBody(contentType, body));
  return state.read(({ search, tenant, revision }) => {
    const moment = { now: state.now(), clock: () => performance.now() };
    return turns.run(answerSearch({ search, tenant: tenant.id, revision }, asked, moment));
  });
}
