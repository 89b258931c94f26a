import type { IncomingMessage } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';

const KIB = 1024;
export const MIB = 1024 * KIB;

/** Deeper JSON is refused, so that nothing that walks it by recursion can run out of stack. */
const JSON_DEPTH_MAX = 100;

/** The connection ended before the body did: there is nobody left to answer. */
export class AbortedError extends Error {
  override readonly name = 'AbortedError';
}

/** How much of a refused body is still read, so that a caller who is still writing gets to read the answer. */
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
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
      } else {
        chunks.length = 0;
        if (size <= limit + REFUSED_BYTES_MAX) return;
        request.removeAllListeners('data').pause();
        reject(tooLarge(limit));
      }
    });
    request.on('end', () => {
      if (size > limit) reject(tooLarge(limit));
      else resolve(chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks));
    });
    request.on('error', (error) => reject(new AbortedError('the request was cut off', { cause: error })));
    request.on('close', () => {
      // Every request closes: an error is made only for those that broke off.
      if (!request.complete) reject(new AbortedError('the request was cut off'));
    });
  });
}

function tooLarge(limit: number): ProblemError {
  const text = limit >= MIB ? `${limit / MIB} MiB` : `${limit / KIB} KiB`;
  return new ProblemError('payload_too_large', `The body is larger than ${text}, the most that is taken here.`);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a body. Throws `invalid_request` where it is not UTF-8. */
export function decodeText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ProblemError('invalid_request', 'The body is not UTF-8 text.');
  }
}

/** The value a JSON body holds. Throws `invalid_request` on anything but one JSON text nested no deeper than 100. */
export function parseJson(bytes: Buffer): unknown {
  if (deeperThan(bytes, JSON_DEPTH_MAX)) {
    throw new ProblemError(
      'invalid_request',
      `The body nests deeper than ${JSON_DEPTH_MAX} levels, the most that is read.`,
    );
  }
  const text = decodeText(bytes);
  const value = parsed(text);
  // Half a character survives no way through UTF-8: what is kept would not be what was sent.
  if (/\\ud[89a-f]/i.test(text) && hasHalfCharacter(value)) {
    throw new ProblemError(
      'invalid_request',
      'The body holds a lone surrogate (like "\\ud800"), which is no character.',
    );
  }
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const cause = error instanceof Error ? error.message.slice(0, 200) : '';
    const detail = text.trim() === '' ? 'The body is empty: send JSON.' : `The body is not JSON: ${cause}.`;
    throw new ProblemError('invalid_request', detail);
  }
}

function hasHalfCharacter(value: unknown): boolean {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => hasHalfCharacter(name) || hasHalfCharacter(member));
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Structural characters of JSON are ASCII, which UTF-8 uses in no other character. */
function deeperThan(bytes: Buffer, depthMax: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (quoted) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) {
      quoted = true;
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > depthMax) return true;
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1;
    }
  }
  return false;
}

/** Whether a `Content-Type` says JSON in UTF-8 (RFC 8259 section 8.1). */
export function isJsonType(type: string | undefined): boolean {
  const [media = '', ...parameters] = (type ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return /^application\/(?:json|[\w.+-]+\+json)$/.test(media) && (!charset || /^charset="?utf-?8"?$/.test(charset));
}
