import type { Scalar } from 'yaml';
import { bareText, isLiteral, isReserved, scalarText } from '../manifest/yaml-text.js';

/** The place of a scalar: alone behind its key, or anywhere else. */
export type Place = 'block' | 'inline';

/**
 * Chooses how a scalar is written: `source`, or as a block. Quotes go where nobody needs them, and come around words that
 * older readers of YAML take for something else.
 */
export function settleScalar(scalar: Scalar, place: Place, text: string): void {
  const { type, value, tag } = scalar;
  if (type === 'BLOCK_FOLDED' || type === 'BLOCK_LITERAL') return;
  if (place === 'block' && typeof value === 'string' && tag === undefined) {
    if (isLiteral(value)) {
      scalar.type = 'BLOCK_LITERAL';
      return;
    }
    if (isFolded(scalar, text)) {
      scalar.type = 'BLOCK_FOLDED';
      return;
    }
  }
  scalar.source = textOf(scalar, place);
  scalar.type = 'PLAIN';
}

/** The text of a scalar among others on a line; undefined if it takes several lines. */
export function inlineText(scalar: Scalar, text: string): string | undefined {
  const { type } = scalar;
  if (type === 'BLOCK_FOLDED' || type === 'BLOCK_LITERAL' || isFolded(scalar, text)) return undefined;
  return textOf(scalar, 'inline') || 'null';
}

/** Whether a text without line breaks is written over several lines. */
function isFolded({ value, range }: Scalar, text: string): boolean {
  return (
    typeof value === 'string' && /^\S[^\n]*\S$/.test(value) && !!range && text.slice(range[0], range[1]).includes('\n')
  );
}

function textOf({ type, value, source = '', tag }: Scalar, place: Place): string {
  if (typeof value !== 'string') return source;
  if (type === 'PLAIN') return isReserved(value) && tag === undefined ? scalarText(value) : value;
  if (tag !== undefined) return JSON.stringify(value);
  return place === 'block' ? bareText(value) : scalarText(value);
}
