import { isMap, isScalar, isSeq, type Node } from 'yaml';
import type { Json } from '../json.js';

const SHOWN = 60;

/** A text in double quotes, cut where it is long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

/** What a value is, as the end of a sentence: `is the text "x"`, `is a list`. */
export function describe(value: Json | undefined): string {
  if (value === undefined) return 'is missing';
  if (value === null) return 'is empty';
  if (typeof value === 'string') return `is the text ${quote(value)}`;
  if (typeof value === 'number') return `is the number ${value}`;
  if (typeof value === 'boolean') return `is the boolean ${value}`;
  return Array.isArray(value) ? 'is a list' : 'is a mapping';
}

export function describeNode(node: Node | null): string {
  if (isMap(node)) return 'is a mapping';
  if (isSeq(node)) return 'is a list';
  return describe(isScalar(node) ? (node.value as Json) : null);
}
