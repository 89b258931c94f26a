import type { IncomingMessage } from 'node:http';

/**
 * The caller's `X-Request-ID` as received: the parser has refused line breaks and other control characters, and limits
 * its length together with all headers.
 */
export function requestIdOf({ headers }: IncomingMessage): string | undefined {
  const id = headers['x-request-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
