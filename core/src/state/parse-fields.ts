import type { z } from 'zod';
import { jsonPointer } from '../json-pointer.js';
import { nearest } from '../nearest.js';
import type { Kind } from '../records/kinds.js';
import { definitionOf, type Fields } from '../records/registry.js';
import { titleOf } from './kind-words.js';

/** Longer values are cut in error texts. */
const SHOWN_MAX = 100;

/** A fault in the fields of a record: `pointer` (RFC 6901) stands in the fields. */
export interface FieldFault {
  pointer: string;
  detail: string;
}

type Parsed = { fields: Fields; faults?: undefined } | { fields?: undefined; faults: FieldFault[] };

/** The normalized fields of a record, or all that is wrong with them. */
export function parseFields(kind: Kind, fields: unknown): Parsed {
  const result = definitionOf(kind).schema.safeParse(fields);
  if (result.success) return { fields: result.data as Fields };
  return { faults: result.error.issues.flatMap((issue) => faultsOf(kind, issue, valueAt(fields, issue.path))) };
}

function faultsOf(kind: Kind, issue: z.core.$ZodIssue, value: unknown): FieldFault[] {
  if (issue.code === 'unrecognized_keys') {
    const known = issue.path.length === 0 ? Object.keys(definitionOf(kind).schema.shape) : [];
    return issue.keys.map((key) => {
      const meant = nearest(key, known);
      const remedy = meant === undefined ? 'take it out.' : `did you mean "${meant}"?`;
      return { pointer: jsonPointer(...issue.path, key), detail: `${titleOf(kind)} has no field "${key}": ${remedy}` };
    });
  }
  return [{ pointer: jsonPointer(...issue.path), detail: detailOf(issue, value) }];
}

function detailOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'invalid_type') {
    const wanted = `${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
    return value === undefined ? `Missing: give ${wanted}.` : `${shown(value)} is not ${wanted}.`;
  }
  if (issue.code === 'invalid_value') {
    const choices = issue.values.map(String);
    const give = choices.length === 1 ? `give ${choices.join()}` : `give one of ${choices.join(', ')}`;
    if (value === undefined) return `Missing: ${give}.`;
    const meant = typeof value === 'string' ? nearest(value, choices) : undefined;
    return `${shown(value)} is not allowed: ${meant === undefined ? `${give}.` : `did you mean "${meant}"?`}`;
  }
  return /^(?:must|has|names|stands|covers)\b/.test(issue.message)
    ? `${shown(value)} ${issue.message}.`
    : issue.message;
}

function valueAt(fields: unknown, path: readonly PropertyKey[]): unknown {
  let value = fields;
  for (const token of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[token];
  }
  return value;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'The list';
  if (typeof value === 'object' && value !== null) return 'The object';
  const text = JSON.stringify(value) ?? 'Nothing';
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
