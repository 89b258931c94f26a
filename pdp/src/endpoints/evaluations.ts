import { CONDITION_LIMITS } from '@authz-service/core/conditions/syntax/limits';
import { ProblemError, type ProblemItem } from '@authz-service/core/problem';
import type * as z from 'zod';
import { isObject } from '../contract/attributes.js';
import { AUTHZEN_PATHS } from '../contract/authzen-paths.js';
import { decisionRequestSchema } from '../contract/decision-request.js';
import {
  type EVALUATIONS_SEMANTICS,
  type EvaluationResponse,
  type EvaluationsResponse,
  evaluationsRequestSchema,
  evaluationsResponseSchema,
  type FailedEvaluation,
} from '../contract/evaluations.js';
import { malformed, parserOf } from '../contract/parser-of.js';
import { PROBLEM_STATUS } from '../transport/problem-status.js';
import type { Endpoint, EndpointCall, TenantView } from './endpoint.js';
import { evaluate, type Outcome } from './evaluate.js';
import { answerQuestion, decisionResponse } from './evaluation.js';
import { type ParsedQuestion, parseQuestion } from './question.js';

/** The evaluations of one request; a malformed one is the problem that it will be answered with. */
export interface Batch {
  semantic: (typeof EVALUATIONS_SEMANTICS)[number];
  /** Whether each decision comes with its reason. */
  reasons: boolean;
  items: readonly (ParsedQuestion | ProblemError)[];
}

type Envelope = z.output<typeof evaluationsRequestSchema>;

/** The decision with which a batch of each semantic ends. */
const ENDS: { [S in Batch['semantic']]: boolean | undefined } = {
  execute_all: undefined,
  deny_on_first_deny: false,
  permit_on_first_permit: true,
};

const parseEnvelope = parserOf(evaluationsRequestSchema, 'The evaluations request');

/**
 * `POST /access/v1/evaluations` (AuthZEN 1.0 section 7): several decisions at one revision and one time. Without
 * evaluations, the request is a single decision.
 */
export const evaluationsEndpoint: Endpoint<ParsedQuestion | Batch> = {
  method: 'POST',
  path: AUTHZEN_PATHS.evaluations,
  operation: 'evaluateAccessBatch',
  summary: 'Decide several questions; without `evaluations`, the request is a single question.',
  request: evaluationsRequestSchema,
  response: {
    description: 'The decisions in order; a question that could not be decided is a denial with its error.',
    schema: evaluationsResponseSchema,
  },
  problems: ['ambiguous_name', 'evaluation_failed'],
  open: false,
  decides: true,
  parse: parseEvaluations,
  about: (asked) => ('items' in asked ? asked.items.flatMap(typeOf) : typeOf(asked)),
  answer: (asked, call) =>
    'items' in asked ? call.run((view) => decideInSteps(asked, view, call)) : answerQuestion(asked, call),
};

/** Throws `invalid_request` for faults of the whole: a malformed default, an unknown semantic, too many evaluations. */
export function parseEvaluations(body: unknown): ParsedQuestion | Batch {
  const envelope = parseEnvelope(body);
  const { evaluations = [], options } = envelope;
  if (evaluations.length === 0) return parseQuestion(body);
  return {
    semantic: options?.evaluations_semantic ?? 'execute_all',
    reasons: options?.reasons ?? false,
    items: evaluations.map((evaluation, index) => itemOf(envelope, evaluation, index)),
  };
}

const typeOf = (item: ParsedQuestion | ProblemError) => (item instanceof ProblemError ? [] : [item.resource.type]);

/** An evaluation takes each member that it lacks as a whole from the defaults; nothing is merged within. */
function itemOf(envelope: Envelope, evaluation: unknown, index: number): ParsedQuestion | ProblemError {
  const at = `/evaluations/${index}`;
  const what = `Evaluation ${index}`;
  if (!isObject(evaluation)) return malformed(what, [{ pointer: at, detail: 'must be an object.' }]);
  const whole: Record<string, unknown> = {};
  for (const name of Object.keys(decisionRequestSchema.shape)) {
    const own = evaluation[name];
    whole[name] = own === undefined ? envelope[name as keyof Envelope] : own;
  }
  try {
    return parseQuestion(whole);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return malformed(what, faultsIn(error, index));
  }
}

/** The faults of an evaluation, their pointers leading into the whole request. */
function faultsIn({ errors }: ProblemError, index: number): ProblemItem[] {
  return errors.map((fault) => ({ ...fault, pointer: `/evaluations/${index}${fault.pointer}` }));
}

/** Adds the place in the batch to what the engine finds wrong with a request. */
function placedIn<T>(outcome: T | ProblemError, index: number): T | ProblemError {
  if (!(outcome instanceof ProblemError) || outcome.code !== 'invalid_request') return outcome;
  return new ProblemError(outcome.code, outcome.detail, faultsIn(outcome, index));
}

/** Answers a batch in its order, one item a step, up to the decision that its semantic ends with. */
function* decideInSteps(
  { items, semantic, reasons }: Batch,
  { engine }: TenantView,
  call: EndpointCall,
): Generator<undefined, EvaluationsResponse> {
  const evaluations: EvaluationResponse[] = [];
  let stepsLeft: number = CONDITION_LIMITS.batchSteps;
  for (const [index, item] of items.entries()) {
    const response = responseOf(decideItem(item, index), reasons);
    evaluations.push(response);
    if (response.decision === ENDS[semantic]) break;
    yield;
  }
  return { evaluations };

  function decideItem(item: ParsedQuestion | ProblemError, index: number) {
    if (item instanceof ProblemError) {
      call.evaluated({ outcome: item, index });
      return item;
    }
    if (stepsLeft <= 0) {
      const outcome = exhausted();
      call.evaluated({ request: item, outcome, index });
      return outcome;
    }
    const before = engine.steps;
    const outcome = evaluate(item, () => engine, call, index);
    stepsLeft -= engine.steps - before;
    return placedIn(outcome, index);
  }
}

function exhausted(): ProblemError {
  return new ProblemError(
    'evaluation_failed',
    `The decisions of this batch have taken the ${CONDITION_LIMITS.batchSteps} steps that they may take together: ask this question in another batch.`,
  );
}

function responseOf(outcome: Outcome | ProblemError, reasons: boolean): EvaluationResponse {
  if (outcome instanceof ProblemError) return failedEvaluation(outcome);
  return reasons || 'candidates' in outcome ? decisionResponse(outcome) : { decision: outcome.decision };
}

function failedEvaluation({ code, detail, errors }: ProblemError): FailedEvaluation {
  const error = {
    status: PROBLEM_STATUS[code],
    code,
    message: detail,
    ...(errors.length > 0 && { errors: [...errors] }),
  };
  return { decision: false, context: { reason: detail, access_path: 'none', error } };
}
