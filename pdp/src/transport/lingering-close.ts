import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ProblemError } from '@authz-service/core/problem';

/** How long a caller that has been answered may continue to write. */
const LINGER_MS = 5_000;

/**
 * Has Node's HTTP server end a connection in the stages of RFC 9112 section 9.6 after the answer that is its last: it
 * calls `destroySoon`, which would reset the connection while bytes of the request are unread, and a caller who is still
 * writing might never read the answer. The rest of the request must be read and thrown away.
 */
export function closeLingering(connection: Socket): void {
  connection.destroySoon = () => {
    const cut = setTimeout(() => connection.destroy(), LINGER_MS);
    connection.once('close', () => clearTimeout(cut));
    connection.end();
  };
}

/** If a body was refused before its end, its rest is not awaited, so the connection can carry no other request. */
export function closeAfterRefusal({ code }: ProblemError, request: IncomingMessage, response: ServerResponse): void {
  if (code !== 'payload_too_large' || request.complete) return;
  response.shouldKeepAlive = false;
  closeLingering(request.socket);
}
