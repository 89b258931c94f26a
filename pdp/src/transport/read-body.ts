import type { IncomingMessage } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import { BodyBytes, MIB, tooLarge } from './body-bytes.js';

/** How much of a refused body is still read before the answer, so that the connection can carry another request. */
const REFUSED_BYTES_MAX = 16 * MIB;

/**
 * Reads a whole body and passes it on, or the reason why it is refused: `payload_too_large` if it has more than
 * `limitBytes`, once it has ended or so much more has arrived that waiting is pointless. If the caller goes away, the
 * callback is not called. It takes a callback because every decision passes here.
 */
export function readBody(
  request: IncomingMessage,
  limitBytes: number,
  take: (body: Buffer | ProblemError) => void,
): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    take(encoded(encoding));
    return;
  }
  const body = new BodyBytes(limitBytes);
  request.on('data', (piece: Buffer) => {
    body.add(piece);
    if (body.size <= limitBytes + REFUSED_BYTES_MAX) return;
    request.removeAllListeners('data').removeAllListeners('end').resume();
    take(tooLarge(limitBytes));
  });
  request.on('end', () => take(body.size > limitBytes ? tooLarge(limitBytes) : body.take()));
  // Node also emits an error if the caller goes away, and nothing else listens to it.
  request.on('error', () => {});
}

function encoded(encoding: string): ProblemError {
  return new ProblemError(
    'unsupported_media_type',
    `The body is encoded as "${encoding.slice(0, 100)}": send it without a Content-Encoding.`,
  );
}
