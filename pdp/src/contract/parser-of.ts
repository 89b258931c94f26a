import { ProblemError, type ProblemItem } from '@authz-service/core/problem';
import { issueFaults } from '@authz-service/core/records/issue-faults';
import type * as z from 'zod';

/** More faults than these are counted, not listed. */
const LISTED_MAX = 100;

/** A parser of what `what` names by a schema, which throws `invalid_request` with a pointer for each fault. */
export function parserOf<T>(schema: z.ZodType<T>, what = 'The body'): (value: unknown) => T {
  return (value) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw malformed(what, issueFaults(schema, parsed.error.issues, value));
  };
}

/** Says the first fault, at its place, and how many more are listed. */
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
