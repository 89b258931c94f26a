import { ProblemError } from '@authz-service/core/problem';
import { epochNumber, splitToken, tokenOf } from '@authz-service/core/state/revision';

/** The header of a request that is not to be answered from before a revision, such as the caller's own commit. */
export const MIN_REVISION_HEADER = 'Service-Min-Revision';

export const MIN_REVISION_DESCRIPTION =
  'The earliest revision of the tenant that may answer, as the `Service-Revision` of a commit named it: `42.9f86d081884c7d65`, or `42`; with the epoch in which it was made where the cloud has declared one: `42.9f86d081884c7d65.1795450000-7f3a9c1e`. The answer waits for it, for at most 5 seconds.';

/** The earliest revision that may answer. */
export interface MinRevision {
  number: number;
  /** `NUMBER.DIGEST`, if the request says both. */
  token: string | undefined;
  /** The cloud's epoch when the revision was made, by its name: a restored cloud gives numbers again. */
  epoch?: string | undefined;
}

/** Reads the value of `Service-Min-Revision`. Throws `invalid_request` for anything else than a revision. */
export function minRevisionOf(text: string | string[] | undefined): MinRevision | undefined {
  if (text === undefined) return undefined;
  const { revision, epoch } = splitToken(String(text));
  const [, number, digest] = /^(\d{1,15})(\.[0-9a-f]{16})?$/.exec(revision) ?? [];
  if (number === undefined) {
    throw new ProblemError(
      'invalid_request',
      `${MIN_REVISION_HEADER} is "${String(text).slice(0, 100)}": write one revision, as answers name it, like "42.9f86d081884c7d65", or its number.`,
    );
  }
  const token = digest === undefined ? undefined : `${Number(number)}${digest}`;
  return { number: Number(number), token, ...(epoch !== undefined && { epoch }) };
}

/**
 * Whether what is served (`NUMBER.DIGEST`, and the epoch if there is one) is the wanted revision or a later one. Throws
 * `unknown_revision` for a namesake, for another epoch of the same number, and for a revision from before the cloud was
 * restored, unless the caller `tellsPast`: it finds out by itself whether the restored cloud has that one.
 */
export function isReached(wanted: MinRevision, served: string | undefined, { tellsPast = false } = {}): boolean {
  if (served === undefined) return false;
  const { revision, epoch } = splitToken(served);
  if (wanted.epoch !== undefined && wanted.epoch !== epoch) {
    const order = epochNumber(wanted.epoch) - epochNumber(epoch);
    if (order > 0) return false;
    if (order === 0 || !tellsPast) throw unknownRevision(wanted, epoch);
  }
  const number = Number.parseInt(revision, 10);
  if (number === wanted.number && wanted.token !== undefined && wanted.token !== revision)
    throw unknownRevision(wanted);
  return number >= wanted.number;
}

/** The request as it was made. */
export function minRevisionText({ number, token, epoch }: MinRevision): string {
  return tokenOf(token ?? String(number), epoch);
}

/** `now`: the epoch of what would answer, where the wanted revision is of another one. */
export function unknownRevision(wanted: MinRevision, now?: string): ProblemError {
  const named = `${MIN_REVISION_HEADER} names ${minRevisionText(wanted)}`;
  if (now !== undefined)
    return new ProblemError(
      'unknown_revision',
      `${named}, of another epoch than ${now}, which answers here: the cloud was restored between them, perhaps without that revision. Name a revision of this epoch, or none.`,
    );
  return new ProblemError(
    'unknown_revision',
    `${named}, which the tenant has not reached or never had: name a revision that a commit to this tenant has returned. The database may have been restored since.`,
  );
}
