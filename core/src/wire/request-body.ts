import type { JsonObject } from '../json.js';
import { jsonPointer } from '../json-pointer.js';
import { ProblemError, type ProblemItem } from '../problem.js';
import { equalJson } from '../state/equal-json.js';

/*
 * Checks of the parts of a JSON body, by hand because every decision passes through them. Each notes its faults with
 * their pointers and goes on, so that a caller learns of all at once; what it then returns is not to be used.
 */

export type Members = { [name: string]: unknown };

export function object(value: unknown, pointer: string, faults: ProblemItem[]): Members | undefined {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  faults.push({ pointer, detail: `must be an object, not ${nameOf(value)}` });
  return undefined;
}

export function required(value: unknown, pointer: string, faults: ProblemItem[]): Members | undefined {
  if (value !== undefined) return object(value, pointer, faults);
  faults.push({ pointer, detail: 'is missing: it must be an object' });
  return undefined;
}

export function optional(value: unknown, pointer: string, faults: ProblemItem[]): JsonObject | undefined {
  return value === undefined ? undefined : (object(value, pointer, faults) as JsonObject | undefined);
}

/**
 * `properties`, of which `attributes` is an alias (spec 2.2); where both are there they are merged, and must agree on
 * what both hold. Spreading, unlike assignment, keeps a member named `__proto__` an ordinary one.
 */
export function properties(parent: Members, pointer: string, faults: ProblemItem[]): JsonObject | undefined {
  if (parent.properties === undefined && parent.attributes === undefined) return undefined;
  const own = optional(parent.properties, `${pointer}/properties`, faults);
  const alias = optional(parent.attributes, `${pointer}/attributes`, faults);
  if (alias === undefined || own === undefined) return own ?? alias;
  for (const name of Object.keys(alias)) {
    if (!Object.hasOwn(own, name) || equalJson(own[name], alias[name])) continue;
    const detail = `differs from ${pointer}/properties${jsonPointer(name)}: "attributes" is another name for "properties", so give one of them`;
    faults.push({ pointer: `${pointer}/attributes${jsonPointer(name)}`, detail });
  }
  return { ...alias, ...own };
}

export function text(value: unknown, pointer: string, faults: ProblemItem[]): string {
  if (typeof value === 'string' && value.length > 0) return value;
  if (value === undefined) faults.push({ pointer, detail: 'is missing: it must be a string' });
  else if (value === '') faults.push({ pointer, detail: 'must not be empty' });
  else faults.push({ pointer, detail: `must be a string, not ${nameOf(value)}` });
  return '';
}

export function texts(value: unknown, pointer: string, faults: ProblemItem[]): readonly string[] {
  if (!Array.isArray(value)) {
    faults.push({ pointer, detail: `must be an array of strings, not ${nameOf(value)}` });
    return [];
  }
  for (let index = 0; index < value.length; index++) text(value[index], `${pointer}/${index}`, faults);
  return value;
}

/** What kind of JSON value it is, for texts. */
export function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** More faults than these are counted, not told. */
const TOLD_MAX = 100;

/** The refusal of a body, or of the part of one that `what` names. */
export function malformed(what: string, faults: readonly ProblemItem[]): ProblemError {
  const told = faults.slice(0, TOLD_MAX);
  const said = told.map((fault) => `${fault.pointer || 'the body'} ${fault.detail}`).join('; ');
  const more = faults.length > told.length ? `; and ${faults.length - told.length} more` : '';
  return new ProblemError('invalid_request', `${what} is malformed: ${said}${more}.`, told);
}
