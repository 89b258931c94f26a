import { randomUUID } from 'node:crypto';

/**
 * The caller's `X-Request-ID` as it came, or a new one: the parser has refused line breaks and other controls, and bounds
 * its length with that of all headers.
 */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && header !== '' ? header : randomUUID();
}
