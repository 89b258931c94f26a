import type { IncomingMessage } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import { BodyBytes, MIB, tooLarge } from './body-bytes.js';

/** How much of a refused body is still read before the answer, so that the connection can carry another request. */
const REFUSED_BYTES_MAX = 16 * MIB;

/**
 * Reads a body whole and hands it over, or why it cannot be taken: `payload_too_large` where it has more than `limitBytes`,
 * once it has ended or so much more has come that the caller cannot be waited for. A caller that goes away gets neither.
 * With a callback, since every decision passes here.
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
  // Node tells of a caller who has gone by an error, too, which nobody else listens to.
  request.on('error', () => {});
}

function encoded(encoding: string): ProblemError {
  return new ProblemError(
    'unsupported_media_type',
    `The body is encoded as "${encoding.slice(0, 100)}": send it without a Content-Encoding.`,
  );
}
