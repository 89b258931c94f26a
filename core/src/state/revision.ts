import { ProblemError } from '../problem.js';

const REVISION = /^(0|[1-9]\d{0,14})\.[0-9a-f]{16}$/;

/** A tenant's revision as everybody writes it: its number and the start of the digest of its records. */
export function revisionText(number: number, digest: string): string {
  return `${number}.${digest.slice(0, 16)}`;
}

/** A revision, or the name of a bundle, as callers carry it: where the cloud has declared epochs, with the one that it is of. */
export function tokenOf(revision: string, epoch: string | undefined): string {
  return epoch === undefined ? revision : `${revision}.${epoch}`;
}

/** Splits what `tokenOf` has joined. */
export function splitToken(token: string): { revision: string; epoch?: string } {
  const [, revision, epoch] = /^(.+)\.(\d{1,15}-[0-9a-f]{8})$/.exec(token) ?? [];
  return revision === undefined || epoch === undefined ? { revision: token } : { revision, epoch };
}

/** Whether this is what `tokenOf` makes of a tenant's revision. */
export function isToken(text: string): boolean {
  return findRevisionNumber(splitToken(text).revision) !== undefined;
}

/**
 * Below zero if the first of two tokens is of an earlier epoch, or of the same and of an earlier revision; zero if neither is
 * the later one. Throws `invalid_request` where one is no token.
 */
export function compareTokens(one: string, other: string): number {
  const [{ revision, epoch }, past] = [splitToken(one), splitToken(other)];
  return epochNumber(epoch) - epochNumber(past.epoch) || revisionNumber(revision) - revisionNumber(past.revision);
}

/** The number of an epoch by its name; 0 before the cloud has declared one. */
export function epochNumber(name: string | undefined): number {
  return name === undefined ? 0 : Number.parseInt(name, 10);
}

/** The number of a revision. Throws `invalid_request` where the text is no revision. */
export function revisionNumber(text: string): number {
  const number = findRevisionNumber(text);
  if (number === undefined) {
    throw new ProblemError(
      'invalid_request',
      `${JSON.stringify(text.slice(0, 100))} is no revision: write it as the service gives it, like "42.9f86d081884c7d65".`,
    );
  }
  return number;
}

/** The number of a revision; undefined for any other text. */
export function findRevisionNumber(text: string): number | undefined {
  const [, number] = REVISION.exec(text) ?? [];
  return number === undefined ? undefined : Number(number);
}
