/**
 * Whether a caller takes an answer in this manipulation of it (RFC 3229 section 10.5.3): `A-IM` names it, and not with
 * the quality 0.
 */
export function acceptsManipulation(header: string | string[] | undefined, name: string): boolean {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  return text.split(',').some((item) => {
    const [token = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    return token === name && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}
