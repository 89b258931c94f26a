import type { Json } from '../json.js';
import type { YamlNode } from './yaml-node.js';

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

export function describeNode(node: YamlNode): string {
  if (node.type === 'map') return 'is a mapping';
  return node.type === 'list' ? 'is a list' : describe(node.value);
}

/** Where only a mapping makes sense. */
export function expectedMapping(node: YamlNode): string {
  return `${describeNode(node)}, a mapping is expected.`;
}

/** Where only a list makes sense. */
export function expectedList(node: YamlNode): string {
  const remedy = node.type === 'scalar' && node.style === 'plain' ? `: write [${node.source}].` : '.';
  return `${describeNode(node)}, a list is expected${remedy}`;
}
