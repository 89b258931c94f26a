/**
 * The number of seconds that a caller is ready to wait for an answer (RFC 7240 section 4.3). Undefined if it does not
 * say so or the value is invalid, which section 2 tells us to ignore. Of several values, the first counts.
 */
export function preferredWait(header: string | string[] | undefined): number | undefined {
  const text = Array.isArray(header) ? header.join(',') : header;
  for (const preference of text?.split(',') ?? []) {
    const [, name, seconds] = /^\s*([\w-]+)\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/.exec(preference) ?? [];
    if (name?.toLowerCase() === 'wait') return Number(seconds);
  }
  return undefined;
}
