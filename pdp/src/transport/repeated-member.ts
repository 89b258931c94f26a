import type { Buffer } from 'node:buffer';
import { jsonPointer } from '@authz-service/core/json-pointer';

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;

/** The structure of a JSON text, valid or not: its depth and the number of its members. */
export interface JsonOutline {
  depth: number;
  members: number;
}

/** Reads bytes, because every decision passes here: in UTF-8, no other character contains one of these bytes. */
export function outlineOf(bytes: Buffer): JsonOutline {
  let open = 0;
  let depth = 0;
  let members = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COLON) members++;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth = Math.max(depth, ++open);
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) open--;
  }
  return { depth, members };
}

function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/**
 * The number of members of a parsed value at any depth. If an object repeats a name, that is less than in the text, and
 * only then the place is searched for.
 */
export function memberCount(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += memberCount(item);
  } else {
    for (const name in value) count += 1 + memberCount((value as Record<string, unknown>)[name]);
  }
  return count;
}

/** An object or array that is not closed yet; an array has no names. */
interface Open {
  names: Set<string> | undefined;
  /** The name of the member, or the index of the item, that is being read. */
  token: string | number;
}

/** The pointer of the first member of a valid JSON text whose name, after unescaping, its object already contains. */
export function repeatedMember(text: string): string | undefined {
  const path: Open[] = [];
  let expectsName = false;
  for (let at = 0; at < text.length; at++) {
    const within = path.at(-1);
    const character = text[at];
    if (character === '"') {
      const start = at;
      at++;
      while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
      if (!expectsName || within?.names === undefined) continue;
      expectsName = false;
      within.token = JSON.parse(text.slice(start, at + 1)) as string;
      if (within.names.has(within.token)) return jsonPointer(...path.map(({ token }) => token));
      within.names.add(within.token);
    } else if (character === '{') {
      path.push({ names: new Set(), token: '' });
      expectsName = true;
    } else if (character === '[') {
      path.push({ names: undefined, token: 0 });
      expectsName = false;
    } else if (character === '}' || character === ']') {
      path.pop();
    } else if (character === ',') {
      expectsName = within?.names !== undefined;
      if (typeof within?.token === 'number') within.token++;
    }
  }
  return undefined;
}
