import { type Buffer, isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import { memberCount, outlineOf, repeatedMember } from './repeated-member.js';

/** Deeper JSON is refused, so that nothing that walks it by recursion can run out of stack. */
const DEPTH_MAX = 100;

/** Whether a `Content-Type` says JSON in UTF-8 (RFC 8259 section 8.1). */
export function isJsonType(type: string | undefined): boolean {
  if (type === 'application/json') return true;
  const [media = '', ...parameters] = (type ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return /^application\/(?:json|[\w.+-]+\+json)$/.test(media) && (!charset || /^charset="?utf-?8"?$/.test(charset));
}

/**
 * The value of a body that was read, or refused, as JSON. Throws what it was refused with, `invalid_request`, or, for a
 * type or an encoding that is not taken, the code that the route has for that.
 */
export function jsonOf(
  { headers }: IncomingMessage,
  body: Buffer | ProblemError,
  wrongType: 'invalid_request' | 'unsupported_media_type',
): unknown {
  if (body instanceof ProblemError)
    throw body.code === 'unsupported_media_type' ? new ProblemError(wrongType, body.detail) : body;
  const type = headers['content-type'];
  if (isJsonType(type)) return parseJsonBody(body);
  const said = type === undefined ? 'missing' : `"${type.slice(0, 100)}"`;
  throw new ProblemError(wrongType, `The content type is ${said}: send JSON as "application/json".`);
}

/**
 * The value of a JSON body. Throws `invalid_request` on anything but one JSON text nested no deeper than 100, in which
 * no object names a member twice: whoever read it on the way may have taken the other one.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  const { depth, members } = outlineOf(bytes);
  if (depth > DEPTH_MAX) throw invalid(`The body nests deeper than ${DEPTH_MAX} levels, the most that is read.`);
  const text = bodyText(bytes);
  const value = parsed(text);
  if (members !== memberCount(value)) throw repeated(text);
  // Half a character survives no way through UTF-8: what is kept would not be what was sent.
  if (text.includes('\\') && /\\ud[89a-f]/i.test(text) && hasHalfCharacter(value)) {
    throw invalid('The body holds a lone surrogate (like "\\ud800"), which is no character.');
  }
  return value;
}

function repeated(text: string): ProblemError {
  const pointer = repeatedMember(text) ?? '';
  return new ProblemError('invalid_request', `The body gives ${pointer} more than once: give it once.`, [
    { pointer, detail: 'is given more than once: readers differ on which one counts, so give it once' },
  ]);
}

/** The text of a body. Throws `invalid_request` where it is not UTF-8: replacing what is not would make different names equal. */
export function bodyText(bytes: Buffer): string {
  // Most bodies are, and are made a string faster.
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw invalid('The body is not UTF-8 text.');
  return bytes.toString();
}

const BYTE_ORDER_MARK = '\uFEFF';

/** The text itself is in no message: it may hold a secret. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch (error) {
    if (text.trim() === '') throw invalid('The body is empty: send JSON.');
    const { message } = error as Error;
    const [place] = /at position \d+/.exec(message) ?? [];
    throw invalid(
      `The body is no valid JSON${place ? ` ${place}` : /end of/.test(message) ? ': it ends too early' : ''}.`,
    );
  }
}

function hasHalfCharacter(value: unknown): boolean {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => hasHalfCharacter(name) || hasHalfCharacter(member));
}

function invalid(detail: string): ProblemError {
  return new ProblemError('invalid_request', detail);
}
