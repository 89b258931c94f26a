import * as z from 'zod';
import type { Json, JsonObject } from '../../json/json.js';
import type { DecisionRequest } from '../../request.js';

const attributes = z.record(z.string(), z.json()).optional();

/** The inputs of a decision, as a line of the decision log holds them. */
export const decisionInputsSchema = z.object({
  /** The clock of the decision. */
  now: z.iso.datetime(),
  subject: z.object({
    type: z.string(),
    id: z.string(),
    properties: attributes,
    roles: z.array(z.string()).optional(),
  }),
  resource: z.object({
    type: z.string(),
    id: z.string().optional(),
    name: z.string().optional(),
    properties: attributes,
  }),
  action: z.object({ name: z.string(), properties: attributes }),
  context: attributes,
  /** The paths of values that were sent and are not logged. */
  masked: z.array(z.string()).optional(),
});

export type DecisionInputs = z.infer<typeof decisionInputsSchema>;

/** Without what looks like a pattern or another separator: it would be taken for a name, and nothing be masked. */
const MASK = /^(?:context|(?:subject|resource|action)\.properties)(?:\.[^.\s*;:|"'[\]{}]+)+$/;

/** Whether a path may be masked: a value of the context, or a property, or what is within one. */
export function isMaskable(path: string): boolean {
  return MASK.test(path);
}

/**
 * The inputs of a decision at this time, without the values that are masked, whose paths it names. Of a list in which a
 * mask leads to something, nothing is left.
 */
export function maskedInputs(request: DecisionRequest, now: number, masks: readonly string[]): DecisionInputs {
  const { subject, resource, action, context } = request;
  let inputs: JsonObject = JSON.parse(JSON.stringify({ subject, resource, action, context }));
  const masked = masks.flatMap((mask) => {
    const path = upToList(inputs, mask.split('.'));
    const rest = without(inputs, path);
    if (rest === undefined) return [];
    inputs = rest;
    return [path.join('.')];
  });
  const at = new Date(now).toISOString();
  return { now: at, ...inputs, ...(masked.length > 0 && { masked }) } as DecisionInputs;
}

/** The path, which ends at the first list that it comes to. */
function upToList(object: JsonObject, path: readonly string[]): readonly string[] {
  let at: Json | undefined = object;
  for (const [index, name] of path.entries()) {
    at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    if (Array.isArray(at)) return path.slice(0, index + 1);
  }
  return path;
}

/** The object without the value at the path; undefined if it has none. */
function without(object: JsonObject, [name = '', ...path]: readonly string[]): JsonObject | undefined {
  if (!Object.hasOwn(object, name)) return undefined;
  const { [name]: value, ...rest } = object;
  if (path.length === 0) return rest;
  const inner = isObject(value) ? without(value, path) : undefined;
  return inner === undefined ? undefined : { ...rest, [name]: inner };
}

/** The request of logged inputs, which calls `onMasked` when a value is read that was masked. */
export function requestOf({ masked = [], now: _, ...inputs }: DecisionInputs, onMasked: () => void): DecisionRequest {
  const request = structuredClone(inputs) as DecisionRequest;
  for (const path of masked) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let object = request as unknown as JsonObject;
    for (const name of names) {
      const inner = Object.hasOwn(object, name) ? object[name] : undefined;
      if (!isObject(inner)) Object.defineProperty(object, name, { value: {}, enumerable: true, configurable: true });
      object = object[name] as JsonObject;
    }
    const get = () => {
      onMasked();
      return undefined;
    };
    Object.defineProperty(object, last, { get, enumerable: true, configurable: true });
  }
  return request;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
