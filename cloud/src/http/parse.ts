import { ProblemError, type ProblemItem } from '@authz-service/core/problem';
import type { z } from 'zod';

/** A parser by schema that throws `invalid_request` with a pointer for each fault. */
export function parserOf<T>(schema: z.ZodType<T>, what = 'The body'): (value: unknown) => T {
  return (value) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw invalidRequest(parsed.error, what);
  };
}

/** More faults than these are counted, not listed. */
const LISTED_MAX = 100;

export function invalidRequest(error: z.ZodError, what: string): ProblemError {
  const items: ProblemItem[] = error.issues.slice(0, LISTED_MAX).map((issue) => ({
    pointer: issue.path.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    detail: issue.message,
  }));
  const [first] = items;
  const more = error.issues.length > 1 ? ` (and ${error.issues.length - 1} more)` : '';
  const where = first?.pointer ? `${first.pointer}: ` : '';
  return new ProblemError('invalid_request', `${what} is malformed: ${where}${first?.detail ?? ''}${more}.`, items);
}
