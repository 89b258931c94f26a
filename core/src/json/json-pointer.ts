/** A JSON pointer (RFC 6901) from its reference tokens. */
export function jsonPointer(...tokens: PropertyKey[]): string {
  return tokens.map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The value at the place that the pointer names; undefined if there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const token of pointer.split('/').slice(1))
    at = (at as Record<string, unknown> | undefined)?.[token.replaceAll('~1', '/').replaceAll('~0', '~')];
  return at;
}

/** A copy of the value in which the place that the pointer names holds another one; the place must be there. */
export function replaceAt<T>(value: T, pointer: string, replacement: unknown): T {
  if (pointer === '') return replacement as T;
  const slash = pointer.indexOf('/', 1);
  const end = slash < 0 ? pointer.length : slash;
  const token = pointer.slice(1, end).replaceAll('~1', '/').replaceAll('~0', '~');
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  copy[token] = replaceAt(copy[token], pointer.slice(end), replacement);
  return copy as T;
}
