import type { Json } from '../../json/json.js';
import type { Assignment, Attribute } from './attribute.js';
import type { Values } from './domain/values.js';

/** Combinations of values that are looked at. */
const COMBINATIONS_MAX = 4096;
/** The number of texts that are tried of those that records may have already. */
export const TRIED_TEXTS = 6;

/** Every combination of the values of some attributes that a request can have, if there are not too many. */
export function combinationsOf(values: ReadonlyMap<Attribute, Values>): {
  found: readonly Assignment[];
  complete: boolean;
} {
  let found: Map<Attribute, Json | undefined>[] = [new Map()];
  let complete = true;
  for (const [attribute, { values: own }] of values) {
    const next: Map<Attribute, Json | undefined>[] = [];
    for (const chosen of found) {
      const some = attribute.kind === 'now' && givesTime(chosen) ? own.slice(0, 1) : own;
      for (const value of some) {
        if (next.length === COMBINATIONS_MAX) {
          complete = false;
          break;
        }
        next.push(new Map(chosen).set(attribute, value));
      }
    }
    found = next;
  }
  return { found: found.filter(isAboutNoRecord), complete };
}

/** Whether the request says what time it is, so that the instant of the decision makes no difference to conditions. */
function givesTime(chosen: Assignment): boolean {
  for (const [attribute, value] of chosen)
    if (attribute.kind === 'property' && attribute.root === 'context' && attribute.name === 'time')
      return value !== undefined;
  return false;
}

/** Whether the id and name of a resource without a record find none. */
function isAboutNoRecord(chosen: Assignment): boolean {
  for (const [attribute, id] of chosen) {
    if (attribute.kind !== 'resourceId' || attribute.names === undefined) continue;
    for (const [other, name] of chosen)
      if (other.kind === 'resourceName' && name === undefined)
        return typeof id === 'string' && attribute.names.admitsId(id);
  }
  return true;
}
