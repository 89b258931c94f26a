import type { Json, JsonObject } from '../../../json/json.js';
import type { DecisionRequest } from '../../../request.js';
import type { AttributeValues } from './attribute-values.js';

/** More combinations cannot be counted through exactly. */
const COMBINATIONS_MAX = 1e12;

/** The request with an attribute set; the attributes of records are set in their properties, over the stored ones. */
export function withAttribute(request: DecisionRequest, path: string, value: Json): DecisionRequest {
  const [root, ...rest] = partsOf(path);
  const { subject, resource, action } = request;
  if (root === 'context' && rest.length > 0) return { ...request, context: within(request.context, rest, value) };
  if (rest[0] !== 'properties' || rest.length < 2) return request;
  const inner = rest.slice(1);
  if (root === 'subject')
    return { ...request, subject: { ...subject, properties: within(subject.properties, inner, value) } };
  if (root === 'resource')
    return { ...request, resource: { ...resource, properties: within(resource.properties, inner, value) } };
  if (root === 'action')
    return { ...request, action: { ...action, properties: within(action.properties, inner, value) } };
  return request;
}

/** Whether requests can set an attribute. */
export function isSent(path: string): boolean {
  const [root, properties, name] = partsOf(path);
  return root === 'context' ? properties !== undefined : properties === 'properties' && name !== undefined;
}

function within(object: JsonObject | undefined, [name = '', ...rest]: readonly string[], value: Json): JsonObject {
  const inner = object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
  const below = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner : undefined;
  return { ...object, [name]: rest.length === 0 ? value : within(below, rest, value) };
}

/** The names in a path like `context.a["b-c"]`. */
function partsOf(path: string): string[] {
  return [...path.matchAll(/([A-Za-z_]\w*)|\[("(?:[^"\\]|\\.)*")\]/g)].map(([, name, quoted]) =>
    quoted === undefined ? (name ?? '') : (JSON.parse(quoted) as string),
  );
}

/**
 * The request with the values tried, some attributes left as they are: all combinations where there are at most `max`,
 * and else as many, spread over all of them in an order that is always the same.
 */
export function* variations(
  request: DecisionRequest,
  values: AttributeValues,
  max: number,
): Generator<DecisionRequest> {
  const sent: (readonly [string, readonly Json[]])[] = [];
  const choices: number[] = [];
  let total = 1;
  for (const [path, list] of values) {
    if (!isSent(path) || total * (list.length + 1) > COMBINATIONS_MAX) continue;
    sent.push([path, list]);
    choices.push(list.length + 1);
    total *= list.length + 1;
  }
  const count = Math.min(total, max);
  // A step that shares no factor with the number of combinations meets each of them once.
  const step = total <= max ? 1 : coprime(Math.floor(total * 0.618), total);
  for (let index = 1; index < count; index++) {
    let rest = (index * step) % total;
    let trial = request;
    for (const [at, [path, list]] of sent.entries()) {
      const choice = choices[at] as number;
      const chosen = rest % choice;
      rest = Math.floor(rest / choice);
      if (chosen > 0) trial = withAttribute(trial, path, list[chosen - 1] as Json);
    }
    yield trial;
  }
}

function coprime(from: number, total: number): number {
  const gcd = (left: number, right: number): number => (right === 0 ? left : gcd(right, left % right));
  let step = Math.max(1, from);
  while (gcd(step, total) !== 1) step++;
  return step;
}
