import { type Fault, issueFaults } from '../records/issue-faults.js';
import type { Kind } from '../records/kinds.js';
import { definitionOf, type Fields } from '../records/registry.js';

type Parsed = { fields: Fields; faults?: undefined } | { fields?: undefined; faults: Fault[] };

/** The normalized fields of a record, or all that is wrong with them, each with its place in the fields. */
export function parseFields(kind: Kind, fields: unknown): Parsed {
  const { schema } = definitionOf(kind);
  const result = schema.safeParse(fields);
  if (result.success) return { fields: result.data as Fields };
  return { faults: issueFaults(schema, result.error.issues, fields) };
}
