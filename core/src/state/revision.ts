import { ProblemError } from '../problem.js';

const REVISION = /^(0|[1-9]\d{0,14})\.[0-9a-f]{16}$/;

/** A tenant's revision as everybody writes it: its number and the start of the digest of its records. */
export function revisionText(number: number, digest: string): string {
  return `${number}.${digest.slice(0, 16)}`;
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
