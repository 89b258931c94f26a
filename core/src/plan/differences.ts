import type { Json, JsonObject } from '../json/json.js';
import { jsonPointer } from '../json/json-pointer.js';
import { equalJson } from '../state/equal-json.js';
import type { Difference } from './plan.js';

/**
 * Lists what differs between two objects, member by member and into nested objects. An array is one value: most are sets,
 * whose elements have no place of their own that a pointer could name.
 */
export function differences(before: JsonObject, after: JsonObject): Difference[] {
  const found: Difference[] = [];
  collect(before, after, [], found);
  return found;
}

function collect(before: JsonObject, after: JsonObject, tokens: string[], found: Difference[]): void {
  for (const name of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
    const old = member(before, name);
    const now = member(after, name);
    if (equalJson(old, now)) continue;
    if (isObject(old) && isObject(now)) collect(old, now, [...tokens, name], found);
    else {
      const pointer = jsonPointer(...tokens, name);
      found.push({ pointer, ...(old !== undefined && { before: old }), ...(now !== undefined && { after: now }) });
    }
  }
}

function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
