import { isUtf8 } from 'node:buffer';
import { ProblemError } from '@authz-service/core/problem';

const JSON_TYPE = /^application\/(?:json|[\w.+-]+\+json)\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Deeper JSON is refused, so that nothing that walks it by recursion can run out of stack. */
const DEPTH_MAX = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;

/**
 * The value of a JSON body. Throws `invalid_request` on anything else: a body that is no JSON is as wrong as one that is
 * no decision request.
 */
export function parseJsonBody(contentType: string | undefined, body: Buffer): unknown {
  if (contentType === undefined || !JSON_TYPE.test(contentType)) {
    const said = contentType === undefined ? 'missing' : `"${contentType.slice(0, 100)}"`;
    throw invalid(`The content type is ${said}: send JSON as "application/json".`);
  }
  if (body.length === 0) throw invalid('The body is empty: send JSON.');
  // JSON is exchanged in UTF-8 (RFC 8259 section 8.1); replacing what is not would make different names equal.
  if (!isUtf8(body)) throw invalid('The body is not UTF-8 text.');
  // A level takes two bytes, so most bodies are too short to be too deep.
  if (body.length > 2 * DEPTH_MAX && deeperThan(body, DEPTH_MAX))
    throw invalid(`The body nests deeper than ${DEPTH_MAX} levels, the most that is read.`);
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    const place = /at position \d+/.exec((error as Error).message)?.[0];
    throw invalid(`The body is no valid JSON${place === undefined ? '' : ` ${place}`}.`);
  }
}

/** Whether brackets nest so deep. In UTF-8 no other character holds a byte of theirs. */
function deeperThan(bytes: Buffer, depthMax: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    if (quoted) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) {
      quoted = true;
    } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      depth++;
      if (depth > depthMax) return true;
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      depth--;
    }
  }
  return false;
}

function invalid(detail: string): ProblemError {
  return new ProblemError('invalid_request', detail);
}
