import { randomUUID } from 'node:crypto';

const ACCEPTED = /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/;

/** The caller's `X-Request-ID`, if it is 1 to 256 printable ASCII characters, else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && ACCEPTED.test(header) ? header : randomUUID();
}
