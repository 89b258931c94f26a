import type { EvaluationsSemantic } from './question.js';
import { codeOfStatus, type ErrorItem, isErrorCode, ServiceError } from './service-error.js';

/** A part of a policy's condition that is true or false by itself, or a modifier, and what came of it. */
export interface Clause {
  /** As it is written, `modifiers.NAME` or `unless.NAME`; a long one is cut off. */
  clause: string;
  outcome: 'true' | 'false' | 'absent' | 'failed';
  /** The attribute that is absent, or the cause of the failure. */
  why?: string | undefined;
  /** The values that it reads, as JSON texts by attribute; long ones are cut off. */
  values?: Record<string, string> | undefined;
}

/** A policy that came into question, in an explanation. */
export interface Candidate {
  /** The address of the policy. */
  policy: string;
  policy_id: string;
  effect: 'ALLOW' | 'DENY';
  priority: number;
  access_path: 'direct' | 'role' | 'group';
  /** Addresses from the subject to whom the policy is assigned. */
  through: string[];
  /** The address of the resource on which the role is held, unless it is held everywhere. */
  place?: string | undefined;
  outcome: 'applies' | 'does_not_apply' | 'failed';
  why: string;
  /** The clauses of its condition, modifiers and `unless`, if it has any and its links count now. */
  clauses?: Clause[] | undefined;
  /** How many more clauses it has: the lists are bounded. */
  clauses_left_out?: number | undefined;
}

/** An answer: allowed or denied. */
export interface Decision {
  allowed: boolean;
  /**
   * False if the question could not be decided and the call asked for a denial in that case (`orDeny`); `error` says
   * why.
   */
  decided: boolean;
  /** The reason, in words. */
  reason?: string;
  /** The id of the deciding policy, whether it allows or denies. */
  policyId?: string;
  /** How the subject reaches the deciding policy: `direct`, `role`, `group`, or `none`. */
  accessPath?: string;
  /** The tenant's revision at which it was decided, if the decision point names it. */
  revision?: string;
  /** Every policy that came into question, where the question asked for it (`options.explain`). */
  explanation?: {
    candidates: Candidate[];
    /** The addresses of roles that the question names without effect, since their `from_requests` is false. */
    uncounted_roles?: string[] | undefined;
    /** The attributes that the question sends without effect, since their type takes them from records alone. */
    uncounted_properties?: string[] | undefined;
    /** If the resource type limits the age of the records that decide: the limit, and the age of those that did. */
    max_age?: { of: string; seconds: number; age_seconds: number } | undefined;
  };
  /** The context that the decision point sent beside its decision, as it came. */
  context: Readonly<Record<string, unknown>>;
  error?: ServiceError;
}

/** The outcome of one question of a batch. */
export type Outcome = { ok: true; decision: Decision } | { ok: false; error: ServiceError };

/**
 * The decision in an answer. Throws `network` if there is no decision, or the error that the answer has in its place.
 */
export function decisionOf(body: unknown, at: string, revision?: string): Decision {
  if (!isObject(body) || typeof body.decision !== 'boolean') {
    throw new ServiceError('network', `${at} answered without a decision: that is no decision point's answer.`);
  }
  const context = isObject(body.context) ? body.context : {};
  const { error } = context;
  if (error !== undefined && error !== null) throw itemError(isObject(error) ? error : { message: error }, at);
  const decision: Decision = { allowed: body.decision, decided: true, context };
  if (typeof context.reason === 'string') decision.reason = context.reason;
  if (typeof context.policy_id === 'string') decision.policyId = context.policy_id;
  if (typeof context.access_path === 'string') decision.accessPath = context.access_path;
  if (revision !== undefined) decision.revision = revision;
  if (isObject(context.explanation)) decision.explanation = context.explanation as { candidates: Candidate[] };
  return decision;
}

/** The denial that a call asked for in the place of an error. */
export function denial(error: ServiceError): Decision {
  return { allowed: false, decided: false, reason: error.detail, context: {}, error };
}

/** The decision that ends a batch, if any does. */
export function endingOf(semantic: EvaluationsSemantic | undefined): boolean | undefined {
  if (semantic === 'deny_on_first_deny') return false;
  return semantic === 'permit_on_first_permit' ? true : undefined;
}

/** Whether a batch ends with this outcome: to a semantic, a failure is a denial. */
export function endsBatch(outcome: Outcome | undefined, ending: boolean | undefined): boolean {
  if (outcome === undefined || ending === undefined) return false;
  if (!outcome.ok && outcome.error.code === 'not_evaluated') return true;
  return (outcome.ok && outcome.decision.allowed) === ending;
}

export function notEvaluated(): ServiceError {
  return new ServiceError('not_evaluated', 'An earlier question of the batch had decided it.');
}

/** The outcomes of a batch of `count` questions, in their order; `ending` is the decision that ends it early. */
export function outcomesOf(
  body: unknown,
  count: number,
  ending: boolean | undefined,
  at: string,
  revision?: string,
): Outcome[] {
  const items = isObject(body) ? body.evaluations : undefined;
  if (!Array.isArray(items) || items.length > count) {
    throw new ServiceError('network', `${at} did not answer with a list of up to ${count} decisions.`);
  }
  const outcomes = items.map((item) => outcomeOf(item, at, revision));
  const ended = ending !== undefined && isObject(items.at(-1)) && items.at(-1).decision === ending;
  const missing = ended
    ? notEvaluated()
    : new ServiceError('network', `${at} answered ${items.length} of ${count} questions: this one is missing.`);
  while (outcomes.length < count) outcomes.push({ ok: false, error: missing });
  return outcomes;
}

function outcomeOf(item: unknown, at: string, revision: string | undefined): Outcome {
  try {
    return { ok: true, decision: decisionOf(item, at, revision) };
  } catch (error) {
    if (error instanceof ServiceError) return { ok: false, error };
    throw error;
  }
}

/** `context.error` in the place of a decision (AuthZEN 1.0 section 7.2.1). */
function itemError({ status, code, message, errors }: Record<string, unknown>, at: string): ServiceError {
  return new ServiceError(
    isErrorCode(code) ? code : codeOfStatus(status),
    typeof message === 'string' ? message : `${at} could not decide this question and did not say why.`,
    itemsOf(errors),
    { status: typeof status === 'number' ? status : undefined },
  );
}

/** The faults that a refusal lists, as far as they can be read. */
export function itemsOf(value: unknown): ErrorItem[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    if (!isObject(item) || typeof item.detail !== 'string') return [];
    return [
      {
        pointer: typeof item.pointer === 'string' ? item.pointer : '',
        detail: item.detail,
        ...(typeof item.address === 'string' ? { address: item.address } : {}),
      },
    ];
  });
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
