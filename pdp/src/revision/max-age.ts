import type { Budget } from '@authz-service/core/access/api/engine';
import { ProblemError } from '@authz-service/core/problem';

/** The header of a request that is not to be answered by what is older. */
export const MAX_AGE_HEADER = 'Service-Max-Age';

export const MAX_AGE_DESCRIPTION =
  'The greatest age, in seconds, of the knowledge that may answer: `30`. It counts from when that was last known to be the newest. Older knowledge is refused with `too_old` (503).';

/** Reads the value of `Service-Max-Age`, in milliseconds. Throws `invalid_request` for anything else than seconds. */
export function maxAgeOf(text: string | string[] | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(String(text))) return Number(text) * 1000;
  throw new ProblemError(
    'invalid_request',
    `${MAX_AGE_HEADER} is "${String(text).slice(0, 100)}": write a whole number of seconds, like "30".`,
  );
}

/** Names what sets the limit, as `assertYoung` does, if a resource type does. */
export function budgetName({ of }: Budget): string {
  return `max_age of ${of}`;
}

/** Throws `too_old` if the age is greater than allowed; both in milliseconds, the age infinite if it is not known. */
export function assertYoung(ageMs: number, maxMs: number, { by, until }: { by: string; until: string }): void {
  if (ageMs <= maxMs) return;
  const age = Number.isFinite(ageMs) ? `${Math.floor(ageMs / 1000)} s old` : 'of unknown age';
  throw new ProblemError('too_old', `What is known here is ${age}, and ${by} allows ${maxMs / 1000} s: ${until}.`);
}
