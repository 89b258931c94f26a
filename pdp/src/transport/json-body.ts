import { type Buffer, isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { parseJson } from '@authz-service/core/json/parse-json';
import { ProblemError } from '@authz-service/core/problem';

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

/** The value of a JSON body, as `parseJson` takes it. Throws `invalid_request` also for what is not UTF-8. */
export function parseJsonBody(bytes: Buffer): unknown {
  return parseJson(bodyText(bytes));
}

/**
 * The text of a body. Throws `invalid_request` if it is not UTF-8: replacing invalid bytes would make different names
 * equal.
 */
export function bodyText(bytes: Buffer): string {
  // Most bodies are, and can be converted faster.
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw new ProblemError('invalid_request', 'The body is not UTF-8 text.');
  return bytes.toString();
}
