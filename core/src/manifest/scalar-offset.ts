import type { ScalarNode } from './yaml-node.js';

const BLANK = /\s/;

/**
 * Returns where in a file's text the character at `offset` of a scalar's value stands. Quotes, escapes, indentation and
 * folded lines make the two differ: they are walked side by side, sign for sign, white space left out.
 */
export function offsetInText(text: string, scalar: ScalarNode, offset: number): number {
  const { start, end, style, folded } = scalar;
  if (folded !== undefined) {
    const { folded: _, ...written } = { ...scalar, value: folded.from };
    return offsetInText(text, written, folded.offsetOf(offset));
  }
  const value = String(scalar.value);
  let at = start;
  if (style === 'block') at = text.indexOf('\n', start) + 1;
  else if (style === 'quoted') at += 1;
  for (let index = 0; index <= offset && index < value.length; index += 1) {
    const sign = value.charAt(index);
    if (BLANK.test(sign)) continue;
    while (at < end && text[at] !== sign) at += 1;
    if (index < offset) at += 1;
  }
  return Math.min(at, end);
}
