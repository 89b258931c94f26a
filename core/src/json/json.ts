/** A JSON value, as properties and context carry it. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/**
 * Canonical JSON text: object keys sorted by UTF-16 code units, no white space, no undefined members (RFC 8785 order).
 * Equal values give equal text, so that digests and comparisons do not depend on the order of declaration.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object' || isSorted(value)) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

/** Whether all members are in order already, so that the engine's own writer, twice as fast, gives the same text. */
function isSorted(value: object): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item !== 'object' || item === null || isSorted(item));
  let last = '';
  for (const key in value) {
    if (key < last) return false;
    last = key;
    const member = (value as Record<string, unknown>)[key];
    if (typeof member === 'object' && member !== null && !isSorted(member)) return false;
  }
  return true;
}
