import { type Buffer, isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import { memberCount, outlineOf, repeatedMember } from './repeated-member.js';

/** Deeper JSON is refused, so that no recursion over it can exhaust the stack. */
const DEPTH_MAX = 100;

/** Whether a `Content-Type` means JSON in UTF-8 (RFC 8259 section 8.1). */
export function isJsonType(type: string | undefined): boolean {
  if (type === 'application/json') return true;
  const [media = '', ...parameters] = (type ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return /^application\/(?:json|[\w.+-]+\+json)$/.test(media) && (!charset || /^charset="?utf-?8"?$/.test(charset));
}

/**
 * The JSON value of a body that was read or refused. Throws the refusal, `invalid_request`, or, for an unsupported type
 * or encoding, the route's code for that.
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
 * The value of a JSON body. Throws `invalid_request` for anything but one JSON text nested no deeper than 100 levels,
 * in which no object repeats a member: a gateway on the way may have used the other one.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  const { depth, members } = outlineOf(bytes);
  if (depth > DEPTH_MAX) throw invalid(`The body is nested deeper than ${DEPTH_MAX} levels, which is the maximum.`);
  const text = bodyText(bytes);
  const value = parsed(text);
  if (members !== memberCount(value)) throw repeated(text);
  // A lone surrogate cannot be encoded in UTF-8: what is stored would differ from what was sent.
  if (text.includes('\\') && /\\ud[89a-f]/i.test(text) && hasHalfCharacter(value)) {
    throw invalid('The body holds a lone surrogate (like "\\ud800"), which is no character.');
  }
  return value;
}

function repeated(text: string): ProblemError {
  const pointer = repeatedMember(text) ?? '';
  return new ProblemError('invalid_request', `The body gives ${pointer} more than once: give it once.`, [
    { pointer, detail: 'is given more than once: programs differ on which one counts, so give it once' },
  ]);
}

/**
 * The text of a body. Throws `invalid_request` if it is not UTF-8: replacing invalid bytes would make different names
 * equal.
 */
export function bodyText(bytes: Buffer): string {
  // Most bodies are, and can be converted faster.
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw invalid('The body is not UTF-8 text.');
  return bytes.toString();
}

const BYTE_ORDER_MARK = '\uFEFF';

/** The message never contains the text itself, because it may hold a secret. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch (error) {
    if (text.trim() === '') throw invalid('The body is empty: send JSON.');
    const { message } = error as Error;
    const [place] = /at position \d+/.exec(message) ?? [];
    throw invalid(
      `The body is not valid JSON${place ? ` ${place}` : /end of/.test(message) ? ': it ends too early' : ''}.`,
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
