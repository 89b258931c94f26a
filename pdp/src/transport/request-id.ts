import type { IncomingMessage } from 'node:http';

/**
 * The caller's `X-Request-ID`, as it came: the parser has refused line breaks and other controls, and bounds its length
 * with that of all headers.
 */
export function requestIdOf({ headers }: IncomingMessage): string | undefined {
  const id = headers['x-request-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
