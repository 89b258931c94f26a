import type { IncomingMessage } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import { BodyBytes, MIB, tooLarge } from '@authz-service/core/wire/body-bytes';

/** The largest request body that is read, in bytes. */
const BODY_BYTES_MAX = MIB;

/** How much of a refused body is still read before the answer, so that the connection can carry another request. */
const REFUSED_BYTES_MAX = 16 * BODY_BYTES_MAX;

/**
 * Gives the body once it has come whole, or why it cannot be taken. A caller that goes away gets neither. With a
 * callback, not a promise: every decision passes here.
 */
export function readBody(request: IncomingMessage, take: (body: Buffer | ProblemError) => void): void {
  const body = new BodyBytes(BODY_BYTES_MAX);
  let refused = false;
  request.on('data', (chunk: Buffer) => {
    body.add(chunk);
    if (refused || body.size <= REFUSED_BYTES_MAX) return;
    refused = true;
    take(tooLarge(BODY_BYTES_MAX));
  });
  request.on('end', () => {
    if (!refused) take(whole(request, body));
  });
}

function whole({ headers }: IncomingMessage, body: BodyBytes): Buffer | ProblemError {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return encoded(encoding);
  return body.size > BODY_BYTES_MAX ? tooLarge(BODY_BYTES_MAX) : body.take();
}

function encoded(encoding: string): ProblemError {
  return new ProblemError(
    'invalid_request',
    `The body is encoded as "${encoding.slice(0, 100)}": send it without a Content-Encoding.`,
  );
}
