/**
 * The seconds that a caller is ready to wait for an answer (RFC 7240 section 4.3); undefined where it does not say so, or
 * says nonsense, which is ignored as section 2 has it. Of several the first holds.
 */
export function preferredWait(header: string | string[] | undefined): number | undefined {
  const text = Array.isArray(header) ? header.join(',') : header;
  for (const preference of text?.split(',') ?? []) {
    const [, name, seconds] = /^\s*([\w-]+)\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/.exec(preference) ?? [];
    if (name?.toLowerCase() === 'wait') return Number(seconds);
  }
  return undefined;
}
