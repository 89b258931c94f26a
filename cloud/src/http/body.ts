import type { IncomingMessage } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import { BodyBytes, MIB, tooLarge } from '@authz-service/core/wire/body-bytes';

/** The connection ended before the body or the answer did: there is nobody left to answer. */
export class AbortedError extends Error {
  override readonly name = 'AbortedError';
}

/** How much of a refused body is still read before the answer, so that the connection can carry another request. */
const REFUSED_BYTES_MAX = 16 * MIB;

/**
 * The whole body. Throws `payload_too_large` where it has more than `limit` bytes, once it has ended or so much more has
 * come that the caller cannot be waited for.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ProblemError(
      'unsupported_media_type',
      `The body is encoded as "${encoding.slice(0, 100)}": send it without a Content-Encoding.`,
    );
  }
  return await new Promise((resolve, reject) => {
    const body = new BodyBytes(limit);
    request.on('data', (chunk: Buffer) => {
      body.add(chunk);
      if (body.size <= limit + REFUSED_BYTES_MAX) return;
      request.removeAllListeners('data').resume();
      reject(tooLarge(limit));
    });
    request.on('end', () => {
      if (body.size > limit) reject(tooLarge(limit));
      else resolve(body.take());
    });
    request.on('error', (error) => reject(new AbortedError('the request was cut off', { cause: error })));
    request.on('close', () => {
      // Every request closes: an error is made only for those that broke off.
      if (!request.complete) reject(new AbortedError('the request was cut off'));
    });
  });
}
