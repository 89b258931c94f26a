import { ProblemError } from '@authz-service/core/problem';

/** The header of a request that is not to be answered from before a revision, such as the caller's own commit. */
export const MIN_REVISION_HEADER = 'Service-Min-Revision';

export const MIN_REVISION_DESCRIPTION =
  'The earliest revision of the tenant that may answer, as a commit returned it: `42.9f86d081884c7d65`, or `42`. The answer waits for it, for at most 5 seconds.';

/** The earliest revision that may answer. */
export interface MinRevision {
  number: number;
  /** `NUMBER.DIGEST`, if the request says both. */
  token: string | undefined;
}

/** Reads the value of `Service-Min-Revision`. Throws `invalid_request` for anything else than a revision. */
export function minRevisionOf(text: string | string[] | undefined): MinRevision | undefined {
  if (text === undefined) return undefined;
  const [, number, digest] = /^(\d{1,15})(\.[0-9a-f]{16})?$/.exec(String(text)) ?? [];
  if (number === undefined) {
    throw new ProblemError(
      'invalid_request',
      `${MIN_REVISION_HEADER} is "${String(text).slice(0, 100)}": write one revision, as answers name it, like "42.9f86d081884c7d65", or its number.`,
    );
  }
  return { number: Number(number), token: digest === undefined ? undefined : `${Number(number)}${digest}` };
}

/** Whether a revision (`NUMBER.DIGEST`) is the wanted one or a later one. Throws `unknown_revision` for a namesake. */
export function isReached(wanted: MinRevision, served: string | undefined): boolean {
  if (served === undefined) return false;
  const number = Number.parseInt(served, 10);
  if (number === wanted.number && wanted.token !== undefined && wanted.token !== served) throw unknownRevision(wanted);
  return number >= wanted.number;
}

export function unknownRevision({ number, token }: MinRevision): ProblemError {
  return new ProblemError(
    'unknown_revision',
    `${MIN_REVISION_HEADER} names ${token ?? number}, which the tenant has not reached or never had: name a revision that a commit to this tenant has returned. The database may have been restored since.`,
  );
}
