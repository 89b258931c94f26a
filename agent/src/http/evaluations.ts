import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Decision } from '@authz-service/core/decision/api/decision';
import type { Engine } from '@authz-service/core/decision/api/engine';
import { ProblemError } from '@authz-service/core/problem';
import type { Turns } from '@authz-service/core/turns';
import type { ParsedDecisionRequest } from '@authz-service/core/wire/decision-request';
import { type ParsedEvaluations, parseEvaluations } from '@authz-service/core/wire/evaluations-request';
import { answerEvaluations } from '@authz-service/core/wire/evaluations-response';
import { PROBLEM_STATUS } from '@authz-service/core/wire/problem-status';
import { notReady } from '../state.js';
import { finish } from './authorize.js';
import { account, type DecisionOptions, Evaluation, logFailure, refusalOf } from './evaluation.js';
import { parseJsonBody } from './json-body.js';
import { readBody } from './read-body.js';
import { requestIdOf, sendJson } from './respond.js';

/**
 * `POST /access/v1/evaluations` (AuthZEN 1.0 section 7), answered from one revision. Every evaluation counts once, and
 * so does a request that is refused as a whole.
 */
export function evaluations(options: DecisionOptions & { turns: Turns }) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    readBody(request, (body) => {
      const evaluation = new Evaluation();
      const asked = readRequest(request.headers['content-type'], body);
      const engine = options.state.served?.engine;
      const done = (outcome: Decision | ProblemError) => finish(options, request, response, evaluation, outcome);
      if (asked instanceof ProblemError) return done(asked);
      if (!('items' in asked)) evaluation.asked = asked;
      if (engine === undefined) done(notReady());
      else if (!('items' in asked)) done(evaluation.answer(engine, asked, options.state.now()));
      else answerAll(options, request, response, asked);
    });
  };
}

function readRequest(
  contentType: string | undefined,
  body: Buffer | ProblemError,
): ParsedDecisionRequest | ParsedEvaluations | ProblemError {
  if (body instanceof ProblemError) return body;
  try {
    return parseEvaluations(parseJsonBody(contentType, body));
  } catch (error) {
    return refusalOf(error);
  }
}

function answerAll(
  options: DecisionOptions & { turns: Turns },
  request: IncomingMessage,
  response: ServerResponse,
  asked: ParsedEvaluations,
): void {
  const requestId = requestIdOf(request);
  const decide = (engine: Engine, item: ParsedDecisionRequest | ProblemError): Decision | ProblemError => {
    const evaluation = new Evaluation();
    const outcome = item instanceof ProblemError ? item : evaluation.answer(engine, item, options.state.now());
    if (outcome instanceof ProblemError && PROBLEM_STATUS[outcome.code] === 500)
      logFailure(options.log, evaluation, outcome, requestId);
    account(options, evaluation, outcome);
    return outcome;
  };
  options.state
    .read(({ engine }) => options.turns.run(answerEvaluations(asked, (item) => decide(engine, item))))
    .then((answered) => sendJson(response, answered, requestId))
    .catch((error: unknown) => finish(options, request, response, new Evaluation(), refusalOf(error)));
}
