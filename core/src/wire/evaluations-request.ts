import { ProblemError, type ProblemItem } from '../problem.js';
import {
  actionOf,
  explains,
  type ParsedDecisionRequest,
  parseDecisionRequest,
  resourceOf,
  subjectOf,
} from './decision-request.js';
import { type Members, malformed, nameOf, object, optional } from './request-body.js';

/** How far a batch goes (AuthZEN 1.0 section 7.1.2.1). */
export const EVALUATIONS_SEMANTICS = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const;
export type EvaluationsSemantic = (typeof EVALUATIONS_SEMANTICS)[number];

/** The most evaluations that one request may hold. */
export const EVALUATIONS_MAX = 1000;

/** Several questions in one request; one that is malformed stands as the problem it will be answered with. */
export interface ParsedEvaluations {
  semantic: EvaluationsSemantic;
  /** Whether each decision comes with its reason. */
  reasons: boolean;
  items: readonly (ParsedDecisionRequest | ProblemError)[];
}

const CHECKS = { subject: subjectOf, resource: resourceOf, action: actionOf } as const;
const ENTITIES = ['subject', 'resource', 'action', 'context', 'options'] as const;

/**
 * Checks the body of `POST /access/v1/evaluations` (AuthZEN 1.0 section 7.1). Without evaluations it is a single
 * question. The members beside `evaluations` are defaults: an evaluation takes each whole where it has none of its own,
 * and nothing is merged within them. A default that every evaluation replaces need only be an object: there are clients
 * that send `{}` for what they do not say. Throws `invalid_request` for faults of the whole: a malformed default, an
 * unknown semantic, too many evaluations.
 */
export function parseEvaluations(body: unknown): ParsedDecisionRequest | ParsedEvaluations {
  const faults: ProblemItem[] = [];
  const root = object(body, '', faults);
  if (root === undefined) throw malformed(WHOLE, faults);
  const semantic = semanticOf(root, faults);
  const reasons = reasonsOf(root, faults);
  const evaluations = listOf(root, faults);
  if (evaluations.length === 0 && faults.length === 0) return parseDecisionRequest(root);
  for (const entity of ['subject', 'resource', 'action'] as const) {
    if (root[entity] === undefined) continue;
    const replaced = evaluations.length > 0 && evaluations.every((evaluation) => has(evaluation, entity));
    if (replaced) object(root[entity], `/${entity}`, faults);
    else CHECKS[entity](root, faults);
  }
  optional(root.context, '/context', faults);
  explains(root, faults);
  if (faults.length > 0) throw malformed(WHOLE, faults);
  return { semantic, reasons, items: evaluations.map((evaluation, at) => itemOf(root, evaluation, at)) };
}

const WHOLE = 'The evaluations request';

function has(evaluation: unknown, entity: string): boolean {
  return typeof evaluation === 'object' && evaluation !== null && (evaluation as Members)[entity] !== undefined;
}

/** Options that are no object are left to the check of `explain`. */
function optionOf({ options }: Members, name: string): unknown {
  return typeof options === 'object' && options !== null ? (options as Members)[name] : undefined;
}

function reasonsOf(root: Members, faults: ProblemItem[]): boolean {
  const said = optionOf(root, 'reasons');
  if (said !== undefined && typeof said !== 'boolean')
    faults.push({ pointer: '/options/reasons', detail: `must be true or false, not ${nameOf(said)}` });
  return said === true;
}

function semanticOf(root: Members, faults: ProblemItem[]): EvaluationsSemantic {
  const said = optionOf(root, 'evaluations_semantic');
  if (said === undefined) return 'execute_all';
  const known = EVALUATIONS_SEMANTICS.find((semantic) => semantic === said);
  if (known !== undefined) return known;
  const given = typeof said === 'string' ? `"${said.slice(0, 100)}"` : nameOf(said);
  const detail = `must be one of ${EVALUATIONS_SEMANTICS.map((name) => `"${name}"`).join(', ')}, not ${given}`;
  faults.push({ pointer: '/options/evaluations_semantic', detail });
  return 'execute_all';
}

function listOf({ evaluations }: Members, faults: ProblemItem[]): readonly unknown[] {
  if (evaluations === undefined) return [];
  if (!Array.isArray(evaluations)) {
    faults.push({ pointer: '/evaluations', detail: `must be an array, not ${nameOf(evaluations)}` });
    return [];
  }
  if (evaluations.length > EVALUATIONS_MAX) {
    const detail = `holds ${evaluations.length} evaluations: send at most ${EVALUATIONS_MAX} in one request`;
    faults.push({ pointer: '/evaluations', detail });
  }
  return evaluations;
}

function itemOf(defaults: Members, evaluation: unknown, at: number): ParsedDecisionRequest | ProblemError {
  const pointer = `/evaluations/${at}`;
  const what = `Evaluation ${at}`;
  const faults: ProblemItem[] = [];
  const own = object(evaluation, pointer, faults);
  if (own === undefined) return malformed(what, faults);
  const whole: Members = {};
  for (const entity of ENTITIES) whole[entity] = own[entity] === undefined ? defaults[entity] : own[entity];
  try {
    return parseDecisionRequest(whole);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return malformed(
      what,
      error.errors.map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` })),
    );
  }
}
