import { ProblemError } from '@authz-service/core/problem';
import { AUTHZEN_PATHS } from '../contract/authzen-paths.js';
import { decisionRequestSchema } from '../contract/decision-request.js';
import { type DecisionResponse, decisionResponseSchema } from '../contract/decision-response.js';
import type { Endpoint, EndpointCall } from './endpoint.js';
import { evaluate, type Outcome } from './evaluate.js';
import { type ParsedQuestion, parseQuestion } from './question.js';

/** `POST /v1/authorize`, and the same endpoint under its AuthZEN 1.0 path (section 10.1). */
export const evaluationEndpoints = [
  evaluationAt('/v1/authorize', 'authorize'),
  evaluationAt(AUTHZEN_PATHS.evaluation, 'evaluateAccess'),
];

function evaluationAt(path: string, operation: string): Endpoint<ParsedQuestion> {
  return {
    method: 'POST',
    path,
    operation,
    summary: 'Decide whether a subject may perform an action on a resource.',
    request: decisionRequestSchema,
    response: { description: 'The decision; a denial is one too.', schema: decisionResponseSchema },
    problems: ['ambiguous_name', 'evaluation_failed'],
    open: false,
    decides: true,
    parse: parseQuestion,
    about: ({ resource }) => [resource.type],
    answer: answerQuestion,
  };
}

export function answerQuestion(question: ParsedQuestion, call: EndpointCall): DecisionResponse {
  const outcome = evaluate(question, () => call.engine(), call);
  if (outcome instanceof ProblemError) throw outcome;
  return decisionResponse(outcome);
}

/** A decision's members may be computed when they are read, so the answer is copied by name. */
export function decisionResponse(answer: Outcome): DecisionResponse {
  const { decision, reason, policy_id, access_path } = answer;
  const context: DecisionResponse['context'] =
    policy_id === undefined ? { reason, access_path } : { reason, policy_id, access_path };
  if ('candidates' in answer) {
    const { candidates, uncounted_roles, uncounted_properties, max_age } = answer;
    context.explanation = {
      candidates,
      ...(uncounted_roles !== undefined && { uncounted_roles }),
      ...(uncounted_properties !== undefined && { uncounted_properties }),
      ...(max_age !== undefined && { max_age }),
    };
  }
  return { decision, context };
}
