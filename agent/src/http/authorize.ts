import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Decision } from '@authz-service/core/decision/api/decision';
import { ProblemError } from '@authz-service/core/problem';
import { parseDecisionRequest } from '@authz-service/core/wire/decision-request';
import { decisionText } from '@authz-service/core/wire/decision-response';
import { PROBLEM_STATUS } from '@authz-service/core/wire/problem-status';
import { type AgentState, notReady } from '../state.js';
import { account, type DecisionOptions, Evaluation, logFailure, refusalOf } from './evaluation.js';
import { parseJsonBody } from './json-body.js';
import { readBody } from './read-body.js';
import { requestIdOf, sendProblem, sendText } from './respond.js';

/**
 * `POST /v1/authorize` (specification section 4.1), and the same under the path of AuthZEN 1.0 (section 10.1). Every
 * call counts once.
 */
export function authorize(options: DecisionOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    readBody(request, (body) => {
      const evaluation = new Evaluation();
      const outcome = answer(options.state, request.headers['content-type'], body, evaluation);
      finish(options, request, response, evaluation, outcome);
    });
  };
}

function answer(
  state: AgentState,
  contentType: string | undefined,
  body: Buffer | ProblemError,
  evaluation: Evaluation,
): Decision | ProblemError {
  if (body instanceof ProblemError) return body;
  try {
    // Read also when there is nothing to decide it by, so that the decision log tells what was asked.
    const asked = parseDecisionRequest(parseJsonBody(contentType, body));
    evaluation.asked = asked;
    const engine = state.served?.engine;
    return engine === undefined ? notReady() : evaluation.answer(engine, asked, state.now());
  } catch (error) {
    return refusalOf(error);
  }
}

/** Sends what became of a question that is a request of its own. */
export function finish(
  options: DecisionOptions,
  request: IncomingMessage,
  response: ServerResponse,
  evaluation: Evaluation,
  outcome: Decision | ProblemError,
): void {
  if (outcome instanceof ProblemError) {
    const requestId = sendProblem(request, response, outcome);
    if (PROBLEM_STATUS[outcome.code] === 500) logFailure(options.log, evaluation, outcome, requestId);
  } else {
    sendText(response, 200, 'application/json', decisionText(outcome), requestIdOf(request));
  }
  account(options, evaluation, outcome);
}
