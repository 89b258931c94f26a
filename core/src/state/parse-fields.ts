import type { z } from 'zod';
import type { Kind } from '../records/kinds.js';
import { definitionOf, type Fields } from '../records/registry.js';
import { jsonPointer } from './json-pointer.js';
import { titleOf } from './kind-words.js';
import { nearest } from './nearest.js';

/** A fault in the fields of a record: `pointer` (RFC 6901) stands in the fields. */
export interface FieldFault {
  pointer: string;
  detail: string;
}

/** The normalized fields of a record, or all that is wrong with them. */
export function parseFields(
  kind: Kind,
  fields: unknown,
): { fields: Fields; faults?: undefined } | { fields?: undefined; faults: FieldFault[] } {
  const result = definitionOf(kind).schema.safeParse(fields);
  if (result.success) return { fields: result.data as Fields };
  return { faults: result.error.issues.flatMap((issue) => faultsOf(kind, issue)) };
}

function faultsOf(kind: Kind, issue: z.core.$ZodIssue): FieldFault[] {
  if (issue.code === 'unrecognized_keys') {
    const known = issue.path.length === 0 ? Object.keys(definitionOf(kind).schema.shape) : [];
    return issue.keys.map((key) => {
      const meant = nearest(key, known);
      const remedy = meant === undefined ? 'take it out.' : `did you mean "${meant}"?`;
      return { pointer: jsonPointer(...issue.path, key), detail: `${titleOf(kind)} has no field "${key}": ${remedy}` };
    });
  }
  return [{ pointer: jsonPointer(...issue.path), detail: issue.message }];
}
