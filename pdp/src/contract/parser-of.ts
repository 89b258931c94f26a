import { ProblemError, type ProblemItem } from '@authz-service/core/problem';
import { issueFaults } from '@authz-service/core/records/issue-faults';
import type * as z from 'zod';

/** Further faults are counted instead of listed. */
const LISTED_MAX = 100;

/** Returns a parser that checks `what` with a schema and throws `invalid_request` with a pointer for each fault. */
export function parserOf<T>(schema: z.ZodType<T>, what = 'The body'): (value: unknown) => T {
  return (value) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw malformed(what, issueFaults(schema, parsed.error.issues, value));
  };
}

/** Names the first fault, at its place, and the number of the others. */
export function malformed(
  what: string,
  faults: readonly ProblemItem[],
  placeOf: (fault: ProblemItem) => string = ({ pointer }) => pointer,
): ProblemError {
  const [first = { pointer: '', detail: '' }] = faults;
  const more = faults.length - 1;
  const start = first.pointer === '' ? 'it ' : `${placeOf(first)}: `;
  const rest = more === 0 ? '' : ` (and ${more} more ${more === 1 ? 'fault' : 'faults'})`;
  const detail = `${what} is malformed: ${start}${first.detail}${rest}`;
  return new ProblemError('invalid_request', detail, faults.slice(0, LISTED_MAX));
}
