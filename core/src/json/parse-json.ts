import { ProblemError } from '../problem.js';
import { isExact } from './exact-number.js';
import type { Json } from './json.js';
import { lostInParsing } from './lost-in-parsing.js';

/** Deeper JSON is refused, so that no recursion over it can exhaust the stack. */
const DEPTH_MAX = 100;

/** The only ways to write a number other than zero that a double rounds to zero. */
const TINY = /[eE]-\d|0{300}/;

/**
 * The value of a JSON text that it keeps. Throws `invalid_request` for anything but one JSON text nested no deeper than
 * 100 levels, and where the value would differ from the text: if an object repeats a member, since a gateway on the way
 * may have used the other one; if a number becomes another whole one, infinite or zero; if half a character stands alone.
 * `subject` begins each detail, which never contains the text itself, because it may hold a secret.
 */
export function parseJson(text: string, subject = 'The body'): Json {
  const { depth, members } = outlineOf(text);
  if (depth > DEPTH_MAX) throw invalid(`${subject} is nested deeper than ${DEPTH_MAX} levels, which is the maximum.`);
  const value = parsed(text, subject);
  const tally: Tally = { members: 0, zero: false, inexact: false };
  count(value, tally);
  if (members !== tally.members || tally.inexact || (tally.zero && TINY.test(text))) refuseLost(text, subject);
  // A lone surrogate cannot be encoded in UTF-8: what is stored would differ from what was sent.
  if (text.includes('\\') && /\\ud[89a-f]/i.test(text) && hasHalfCharacter(value)) {
    throw invalid(`${subject} holds a lone surrogate (like "\\ud800"), which is no character.`);
  }
  return value;
}

function refuseLost(text: string, subject: string): void {
  const lost = lostInParsing(text);
  if (lost === undefined) return;
  const { what, pointer, detail } = lost;
  const sentence =
    what === 'member'
      ? `${subject} gives ${pointer} more than once: give it once.`
      : `${subject} has a number${pointer && ` at ${pointer}`} that ${detail}.`;
  throw new ProblemError('invalid_request', sentence, [{ pointer, detail }]);
}

/** The depth of a JSON text, valid or not, and the number of its members. */
function outlineOf(text: string): { depth: number; members: number } {
  let open = 0;
  let depth = 0;
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at++;
      for (let inner = text.charCodeAt(at); at < text.length && inner !== QUOTE; inner = text.charCodeAt(at))
        at += inner === BACKSLASH ? 2 : 1;
    } else if (code === COLON) members++;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth = Math.max(depth, ++open);
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) open--;
  }
  return { depth, members };
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;

const BYTE_ORDER_MARK = '\uFEFF';

function parsed(text: string, subject: string): Json {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch (error) {
    if (text.trim() === '') throw invalid(`${subject} is empty: send JSON.`);
    const { message } = error as Error;
    const [place] = /at position \d+/.exec(message) ?? [];
    throw invalid(
      `${subject} is not valid JSON${place ? ` ${place}` : /end of/.test(message) ? ': it ends too early' : ''}.`,
    );
  }
}

/** Counts what a parsed value holds at any depth. Fewer members than the text has tell of a name that an object repeats. */
interface Tally {
  members: number;
  zero: boolean;
  inexact: boolean;
}

function count(value: Json, tally: Tally): void {
  if (typeof value === 'number') {
    if (value === 0) tally.zero = true;
    else if (!isExact(value)) tally.inexact = true;
  } else if (Array.isArray(value)) {
    for (const item of value) count(item, tally);
  } else if (typeof value === 'object' && value !== null) {
    for (const name in value) {
      tally.members++;
      count(value[name] as Json, tally);
    }
  }
}

function hasHalfCharacter(value: Json): boolean {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => hasHalfCharacter(name) || hasHalfCharacter(member));
}

function invalid(detail: string): ProblemError {
  return new ProblemError('invalid_request', detail);
}
