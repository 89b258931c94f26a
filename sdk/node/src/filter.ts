import { isObject } from './decision.js';
import type { Action, QuestionOptions, ResourceType, SentObject, Subject } from './question.js';
import { ServiceError } from './service-error.js';
import type { CallOptions } from './transport.js';

/** Which rows of a type a subject may do something with: a decision's question, without the resource's id and name. */
export interface FilterQuestion {
  subject: Subject;
  action: Action;
  /** Properties count for all rows. */
  resource: ResourceType;
  /** Facts about the request that conditions read: `ip`, `time`, `mfa`, and any other key. */
  context?: SentObject | undefined;
  options?: FilterOptions | undefined;
}

export interface FilterOptions extends QuestionOptions {
  /** Takes an upper bound where columns cannot say the answer; the filter is then `partial`. */
  partial?: 'ask' | undefined;
}

export interface FilterPartsOptions extends CallOptions {
  /** The most items of a list in a part; the decision point's own limit, 10,000, unless given. */
  limit?: number | undefined;
}

export type FilterValue = string | number | boolean;

/** A test of one row, which is false for a row that lacks the value. */
export type FilterTest =
  | { readonly op: 'present'; readonly attribute: string }
  | { readonly op: 'eq' | 'lt' | 'le' | 'gt' | 'ge'; readonly attribute: string; readonly value: FilterValue }
  | { readonly op: 'in' | 'hasAny' | 'hasOnly'; readonly attribute: string; readonly values: readonly FilterValue[] }
  | { readonly op: 'startsWith' | 'endsWith' | 'contains'; readonly attribute: string; readonly value: string }
  | { readonly op: 'same' | 'less' | 'atMost'; readonly attribute: string; readonly other: string };

/** A condition on rows; an attribute is `name`, `properties.NAME` or `parents.TYPE`. */
export type FilterCondition =
  | { readonly op: 'and' | 'or'; readonly args: readonly FilterCondition[] }
  | { readonly op: 'not'; readonly arg: FilterTest }
  | FilterTest;

/** A policy that takes part in a filter. */
export interface FilterPolicy {
  readonly policy: string;
  readonly policy_id: string;
  readonly effect: 'ALLOW' | 'DENY';
  readonly priority: number;
}

/** The rows that a subject may do something with: all, none, or those for which the condition holds. */
export type Filter = (
  | { readonly kind: 'all' | 'none'; readonly condition?: undefined }
  | { readonly kind: 'some'; readonly condition: FilterCondition }
) & {
  readonly explanation?: { readonly policies: readonly FilterPolicy[] } | undefined;
  /** Set where not all of these rows are allowed: ask a decision for each. Only if the question took that. */
  readonly partial?: true | undefined;
  /** The tenant's revision at which it was found, if the decision point names it. */
  readonly revision?: string | undefined;
};

/**
 * Reads an answer. Throws `network` for anything that is not wholly understood, and for an upper bound or a part that was not
 * asked for: it selects no row.
 */
export function filterOf(
  body: unknown,
  question: FilterQuestion,
  at: string,
  revision: string | undefined,
  inParts = false,
): Filter {
  const { kind, condition, explanation, partial, page } = isObject(body) ? body : {};
  const more = {
    ...(explanation !== undefined && { explanation: explanation as { policies: FilterPolicy[] } }),
    ...(partial !== undefined && { partial: true as const }),
    ...(revision !== undefined && { revision }),
  };
  const isAsked = (partial === undefined || question.options?.partial === 'ask') && (page !== undefined) === inParts;
  if (isAsked) {
    if (kind === 'some' && isCondition(condition)) return { kind, condition, ...more };
    if ((kind === 'all' || kind === 'none') && condition === undefined) return { kind, ...more };
  }
  throw new ServiceError('network', `${at} was answered without a filter that is understood: that is not an answer.`);
}

/**
 * Walks the parts of an answer, which comes from `at`. All are of one revision: when the tenant moves on meanwhile,
 * `invalid_cursor`.
 */
export async function* everyPart(
  ask: (body: unknown) => Promise<{ body: unknown; revision: string | undefined }>,
  question: FilterQuestion,
  at: string,
  limit: number | undefined,
): AsyncGenerator<Filter, void, undefined> {
  let token: string | undefined;
  do {
    const page = { ...(limit !== undefined && { limit }), ...(token !== undefined && { token }) };
    const { body, revision } = await ask({ ...question, page });
    const part = filterOf(body, question, at, revision, true);
    const next = isObject(body) && isObject(body.page) ? body.page.next_token : undefined;
    if (typeof next !== 'string' || (next !== '' && next === token))
      throw new ServiceError('network', 'A part of a filter does not say which is the next: that is not an answer.');
    yield part;
    token = next;
  } while (token !== '');
}

function isCondition(value: unknown): value is FilterCondition {
  if (!isObject(value)) return false;
  const { op, args, arg } = value;
  if (op === 'and' || op === 'or')
    return hasOnly(value, 'args') && Array.isArray(args) && args.length > 0 && args.every(isCondition);
  return op === 'not' ? hasOnly(value, 'arg') && isTest(arg) : isTest(value);
}

const ATTRIBUTE = /^(?:name|(?:properties|parents)\..+)$/su;

function isTest(given: unknown): boolean {
  if (!isObject(given) || !isAttribute(given.attribute)) return false;
  const { op, value, values, other } = given;
  switch (op) {
    case 'present':
      return hasOnly(given, 'attribute');
    case 'eq':
      return hasOnly(given, 'attribute', 'value') && isValue(value);
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      return hasOnly(given, 'attribute', 'value') && isValue(value) && typeof value !== 'boolean';
    case 'in':
      return hasOnly(given, 'attribute', 'values') && areValues(values) && areAlike(values);
    case 'hasAny':
    case 'hasOnly':
      return hasOnly(given, 'attribute', 'values') && areValues(values);
    case 'startsWith':
    case 'endsWith':
    case 'contains':
      return hasOnly(given, 'attribute', 'value') && typeof value === 'string';
    case 'same':
    case 'less':
    case 'atMost':
      return hasOnly(given, 'attribute', 'other') && isAttribute(other);
    default:
      return false;
  }
}

/** A member that nobody knows may change what a test means. */
function hasOnly(given: object, ...names: string[]): boolean {
  return Object.keys(given).every((name) => name === 'op' || names.includes(name));
}

function isAttribute(value: unknown): boolean {
  return typeof value === 'string' && ATTRIBUTE.test(value);
}

function areValues(values: unknown): values is FilterValue[] {
  return Array.isArray(values) && values.every(isValue);
}

/** A column has values of one type: databases compare others by rules of their own. */
function areAlike([first, ...others]: readonly FilterValue[]): boolean {
  return first !== undefined && others.every((value) => typeof value === typeof first);
}

function isValue(value: unknown): value is FilterValue {
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  );
}
