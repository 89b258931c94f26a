import type { IncomingMessage } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';

/** The largest request body that is read, in bytes. */
export const BODY_BYTES_MAX = 1024 * 1024;

/** How much of a refused body is still read, so that the caller gets to read the answer, before the connection ends. */
const REFUSED_BYTES_MAX = 16 * BODY_BYTES_MAX;

/**
 * Reads a body whole and hands it on, or why it cannot be taken; a caller that goes away gets neither. With a callback,
 * not a promise: every decision passes here.
 */
export function readBody(request: IncomingMessage, done: (body: Buffer | ProblemError) => void): void {
  let first: Buffer | undefined;
  let rest: Buffer[] | undefined;
  let received = 0;
  let answered = false;

  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > BODY_BYTES_MAX) {
      first = undefined;
      rest = undefined;
      if (received > REFUSED_BYTES_MAX && !answered) {
        answered = true;
        request.pause();
        done(tooLarge());
      }
    } else if (first === undefined) {
      first = chunk;
    } else {
      rest ??= [];
      rest.push(chunk);
    }
  });
  request.on('end', () => {
    if (answered) return;
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') done(encoded(encoding));
    else if (received > BODY_BYTES_MAX) done(tooLarge());
    else if (first === undefined) done(Buffer.alloc(0));
    else done(rest === undefined ? first : Buffer.concat([first, ...rest], received));
  });
}

function encoded(encoding: string): ProblemError {
  return new ProblemError(
    'invalid_request',
    `The body is encoded as "${encoding.slice(0, 100)}": send it without a Content-Encoding.`,
  );
}

function tooLarge(): ProblemError {
  return new ProblemError(
    'payload_too_large',
    `The request body has more than ${BODY_BYTES_MAX} bytes: send less, or store properties with the records.`,
  );
}
