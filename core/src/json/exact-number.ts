/**
 * Whether a double is the number that was meant. A whole number beyond 2^53 - 1 may have been another one, since its
 * last digits are lost; one that is too large for a double is infinite.
 */
export function isExact(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

/** Why the value of a number's text is not the number, as the end of a sentence; undefined for one that is kept. */
export function inexactText(source: string, value = Number(source)): string | undefined {
  if (!isExact(value)) return 'is too large to be kept exactly';
  const [digits = ''] = source.split(/e/i);
  return value === 0 && /[1-9]/.test(digits) ? 'is too small to be kept' : undefined;
}
