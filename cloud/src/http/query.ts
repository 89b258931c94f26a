import { ProblemError } from '@authz-service/core/problem';
import { issueFaults } from '@authz-service/core/records/issue-faults';
import { malformed } from '@authz-service/pdp/contract/parser-of';
import type * as z from 'zod';

/** Checks the query parameters with a schema of strings. Throws `invalid_request`. */
export function parseQuery<T>(schema: z.ZodType<T>, search: string): T {
  const values: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(search)) {
    if (Object.hasOwn(values, name)) {
      throw new ProblemError(
        'invalid_request',
        `The query parameter "${name.slice(0, 100)}" is given twice: give it once.`,
      );
    }
    Object.defineProperty(values, name, { value, enumerable: true });
  }
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  const faults = issueFaults(schema, parsed.error.issues, values);
  throw malformed('The query', faults, ({ pointer }) => pointer.slice(1));
}
