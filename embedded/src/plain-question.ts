import { isExact } from '@authz-service/core/json/exact-number';
import type { JsonObject } from '@authz-service/core/json/json';
import { parseJson } from '@authz-service/core/json/parse-json';
import { type ParsedQuestion, parseQuestion } from '@authz-service/pdp/endpoints/question';
import { ServiceError } from '@authz-service/sdk';
import { jsonText } from '@authz-service/sdk/json-text';
import type { DecisionQuestion } from '@authz-service/sdk/question';

/** Deeper JSON takes the longer way, which refuses what is too deep. */
const DEPTH_MAX = 16;
/** The members of questions: what an object inherits under such a name would count as if the caller had said it. */
const MEMBERS: ReadonlySet<string> = new Set([
  ...['subject', 'action', 'resource', 'context', 'options', 'evaluations', 'page', 'type', 'id', 'name'],
  ...['properties', 'attributes', 'roles', 'explain', 'partial', 'evaluations_semantic', 'limit', 'token'],
]);
const EMPTY = {};

/** Throws `internal` if `Object.prototype` has been given a member of questions: nothing is decided in such a process. */
function refusePollution(): void {
  for (const name in EMPTY) {
    if (!MEMBERS.has(name)) continue;
    const detail = `Object.prototype has a member "${name}" in this process, which every question would inherit: find what sets it.`;
    throw new ServiceError('internal', detail);
  }
}

/** A surrogate that stands alone. */
const HALF_CHARACTER = /\p{Surrogate}/u;

/**
 * The request for the engine. One that is JSON as it stands, of the usual members, is taken as it is, which takes a tenth of the
 * time; any other as it would arrive over the network. Throws `invalid_request` with a pointer for each fault.
 */
export function requestOf(question: DecisionQuestion): ParsedQuestion {
  refusePollution();
  return plainRequest(question) ?? parseQuestion(sent(question));
}

/** A question as it would arrive over the network. Throws `invalid_request` for what JSON does not hold. */
export function sent(question: unknown): unknown {
  refusePollution();
  const text: string | undefined = jsonText(question);
  if (text !== undefined) return parseJson(text, 'The question');
  throw new ServiceError('invalid_request', `The question is ${typeof question}: give an object.`);
}

/** Undefined where it takes a closer look. */
export function plainRequest(question: unknown): ParsedQuestion | undefined {
  if (!isPlainObject(question)) return undefined;
  const { subject, action, resource, context, options } = question as { [name: string]: unknown };
  if (!isPlainObject(subject) || !isPlainObject(action) || !isPlainObject(resource)) return undefined;
  const { id, name } = resource;
  if (!isName(subject.type) || !isName(subject.id) || !isName(action.name) || !isName(resource.type)) return undefined;
  if (id === undefined ? !isName(name) : !isName(id) || (name !== undefined && !isName(name))) return undefined;
  const { roles } = subject;
  if (roles !== undefined && !(isPlainArray(roles) && roles.every(isName))) return undefined;
  // Their aliases are resolved elsewhere.
  if (subject.attributes !== undefined || resource.attributes !== undefined) return undefined;
  if (!areAttributes(subject.properties) || !areAttributes(resource.properties)) return undefined;
  if (!areAttributes(action.properties) || !areAttributes(context)) return undefined;
  if (options !== undefined && !isPlainObject(options)) return undefined;
  const explain = options?.explain;
  if (explain !== undefined && typeof explain !== 'boolean') return undefined;
  return {
    subject: {
      type: subject.type,
      id: subject.id,
      properties: subject.properties,
      roles: roles as string[] | undefined,
    },
    resource: {
      type: resource.type,
      id: id as string | undefined,
      name: name as string | undefined,
      properties: resource.properties,
    },
    action: { name: action.name, properties: action.properties },
    context: context as JsonObject | undefined,
    explain: explain ?? false,
  } as ParsedQuestion;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !HALF_CHARACTER.test(value);
}

function areAttributes(value: unknown): boolean {
  return value === undefined || (isPlainObject(value) && isJson(value, 0));
}

/** Whether it is an object whose members are all that JSON makes of it. */
function isPlainObject(value: unknown): value is { [name: string]: unknown } {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Whether it is a list whose items are all that JSON makes of it: `every` passes over what was never set. */
function isPlainArray(value: unknown): value is unknown[] {
  return Array.isArray(value) && !('toJSON' in value) && !value.includes(undefined);
}

function isJson(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return !HALF_CHARACTER.test(value);
    case 'boolean':
      return true;
    case 'number':
      return isExact(value);
    case 'object': {
      if (value === null) return true;
      if (depth > DEPTH_MAX) return false;
      if (Array.isArray(value)) return isPlainArray(value) && value.every((item) => isJson(item, depth + 1));
      if (!isPlainObject(value)) return false;
      for (const name of Object.keys(value))
        if (HALF_CHARACTER.test(name) || !isJson(value[name], depth + 1)) return false;
      return true;
    }
    default:
      return false;
  }
}
