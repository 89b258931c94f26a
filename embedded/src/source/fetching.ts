import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { readServedKeys, type ServedKeys } from '@authz-service/core/bundle/served-keys';
import type { BundleLimits } from '@authz-service/core/bundle/types';
import { ProblemError } from '@authz-service/core/problem';
import type { Spool } from '../cache/spool.js';
import type { RequestBounds } from './server-request.js';

/*
 * What fetching from a cloud and from a web server have in common.
 */

export interface FetchOptions {
  bounds: FetchBounds;
  stop: AbortSignal;
  /**
   * Provides the place for a whole bundle, before any of it is read. If this throws, the fetch ends and throws the
   * same.
   */
  spool(): Promise<Spool>;
  /** Unpacks it there, as `unpackBundleTo` does. */
  unpack(source: Readable, limits: BundleLimits, into: Spool): Promise<string | undefined>;
}

/** The limits of an answer, in time and in size. */
export type FetchBounds = BundleLimits & RequestBounds;

const KEYS_BYTES_MAX = 1024 * 1024;

/** The remedy if an answer is not the server's own. */
export const BETWEEN = 'check the proxies between agent and cloud';

/** Returns what is wrong with the archive itself; throws anything else. */
export function faultOf(error: unknown): ProblemError {
  if (error instanceof ProblemError && error.code === 'invalid_bundle') return error;
  throw error;
}

/** The bundle itself is gzip: if a proxy compresses it again, the result is not an archive. */
export async function unpackWhole(
  response: IncomingMessage,
  { bounds, spool, unpack }: Omit<FetchOptions, 'stop'>,
): Promise<{ bytes: Spool; jws: string | undefined }> {
  const encoding = response.headers['content-encoding'];
  let broken: unknown;
  response.once('error', (error) => {
    broken = error;
  });
  const bytes = await spool();
  try {
    // Unpacking would report it as an incomplete archive.
    if (broken !== undefined) throw broken;
    return { bytes, jws: await unpack(response, bounds, bytes) };
  } catch (error) {
    await bytes.discard();
    if (encoding === undefined || !(error instanceof ProblemError)) throw error;
    const detail = `${error.detail} It came with "Content-Encoding: ${encoding.slice(0, 100)}", which was not asked for: ${BETWEEN}.`;
    throw new ProblemError(error.code, detail, [], { cause: error });
  }
}

/** Reads a JWKS. */
export async function keysIn(response: IncomingMessage): Promise<ServedKeys> {
  return readServedKeys(await boundedText(response, KEYS_BYTES_MAX, 'There are too many bundle keys.'));
}

/** The text of an answer. Throws `invalid_bundle` with this detail if it has more bytes. */
export async function boundedText(response: IncomingMessage, bytesMax: number, detail: string): Promise<string> {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) response.destroy(new ProblemError('invalid_bundle', detail));
  });
  return await text(response);
}
