import { ProblemError } from '../problem.js';
import { revisionText } from '../state/revision.js';
import type { BundleSlice } from './types.js';

const REVISION = /^(0|[1-9]\d{0,14})\.[0-9a-f]{16}$/;

/** The members of a parsed JSON object; `what` begins the sentence of a refusal. Throws `invalid_bundle`. */
export function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ProblemError('invalid_bundle', `${what} is not a JSON object.`);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Whether it is a revision's text, and of records with this digest. */
export function isRevisionOf(revision: unknown, digest: string): revision is string {
  if (!isText(revision) || !REVISION.test(revision)) return false;
  return revision === revisionText(Number.parseInt(revision, 10), digest);
}

/** The slice that a head states, if there is one; `what` begins the sentence of a refusal. Throws `invalid_bundle`. */
export function sliceOf(value: unknown, what: string): BundleSlice | undefined {
  if (value === undefined) return undefined;
  const { applications, of } = objectOf(value, `The slice of ${what.toLowerCase()}`);
  if (Array.isArray(applications) && applications.length > 0 && applications.every(isText)) {
    if (isText(of) && REVISION.test(of)) return { applications, of };
  }
  throw new ProblemError('invalid_bundle', `${what} has a slice without applications or revision: ${short(value)}.`);
}

/** Whether two slices are for the same applications; none is the whole tenant. */
export function areForSame(
  one: Pick<BundleSlice, 'applications'> | undefined,
  other: Pick<BundleSlice, 'applications'> | undefined,
): boolean {
  return JSON.stringify(one?.applications) === JSON.stringify(other?.applications);
}

/** As much of a value as a refusal shows. */
export function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
