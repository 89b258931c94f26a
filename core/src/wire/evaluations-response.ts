import type { Decision, Explanation } from '../decision/api/decision.js';
import type { ProblemCode, ProblemError, ProblemItem } from '../problem.js';
import type { ParsedDecisionRequest } from './decision-request.js';
import { type DecisionResponse, decisionResponse } from './decision-response.js';
import type { EvaluationsSemantic, ParsedEvaluations } from './evaluations-request.js';
import { PROBLEM_STATUS } from './problem-status.js';

/** An evaluation that could not be made: denied, with the reason why. */
export interface FailedEvaluation {
  decision: false;
  context: {
    reason: string;
    access_path: 'none';
    /** What a request for this evaluation alone would have been refused with; `status` is the HTTP status. */
    error: { status: number; code: ProblemCode; message: string; errors?: readonly ProblemItem[] };
  };
}

/** A decision alone, unless the request asks for reasons or for an explanation. */
export type EvaluationResponse = { decision: boolean; context?: undefined } | DecisionResponse | FailedEvaluation;

/** The body of an answered batch (AuthZEN 1.0 section 7.2). */
export interface EvaluationsResponse {
  evaluations: EvaluationResponse[];
}

const ENDS: { [S in EvaluationsSemantic]: boolean | undefined } = {
  execute_all: undefined,
  deny_on_first_deny: false,
  permit_on_first_permit: true,
};

/**
 * Answers a batch in its order, up to the decision that its semantic ends with. `decide` judges one item, and returns
 * what it throws; a step is one item.
 */
export function* answerEvaluations(
  { items, semantic, reasons }: ParsedEvaluations,
  decide: (item: ParsedDecisionRequest | ProblemError) => Decision | Explanation | ProblemError,
): Generator<undefined, EvaluationsResponse> {
  const evaluations: EvaluationResponse[] = [];
  for (const item of items) {
    const outcome = decide(item);
    const response = 'decision' in outcome ? answerOf(outcome, reasons) : failedEvaluation(outcome);
    evaluations.push(response);
    if (response.decision === ENDS[semantic]) break;
    yield;
  }
  return { evaluations };
}

function answerOf(outcome: Decision | Explanation, reasons: boolean): EvaluationResponse {
  return reasons || 'candidates' in outcome ? decisionResponse(outcome) : { decision: outcome.decision };
}

function failedEvaluation({ code, detail, errors }: ProblemError): FailedEvaluation {
  const error = { status: PROBLEM_STATUS[code], code, message: detail, ...(errors.length > 0 && { errors }) };
  return { decision: false, context: { reason: detail, access_path: 'none', error } };
}
