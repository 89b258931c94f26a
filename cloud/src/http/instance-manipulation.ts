/**
 * Whether a caller accepts this manipulation of an answer (RFC 3229 section 10.5.3): `A-IM` names it with a quality
 * above 0.
 */
export function acceptsManipulation(header: string | string[] | undefined, name: string): boolean {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  return text.split(',').some((item) => {
    const [token = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    return token === name && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}
