import type { SourcePlace } from './manifest.js';

/** A range in a file: where it starts and ends, in UTF-16 units from the start of the text. */
interface Span {
  start: number;
  end: number;
}

export interface ScalarNode extends Span {
  type: 'scalar';
  value: null | boolean | number | string;
  /** `plain` without quotes, `block` by `|` or `>`. */
  style: 'plain' | 'quoted' | 'block';
  /** A plain scalar as it is written: `010`. */
  source: string;
  /** It has a tag that means nothing, or a variable without a value, which is reported: no value can be taken of it. */
  mistagged?: boolean;
  /**
   * The text as it is written, where `value` has constants in the place of variables, the place there of a character, and
   * where the constants are written.
   */
  folded?: { from: string; offsetOf(offset: number): number; constants: SourcePlace[] };
}

export interface ListNode extends Span {
  type: 'list';
  items: YamlNode[];
}

/** A mapping with its pairs in order; keys may be anything, and may repeat. */
export interface MapNode extends Span {
  type: 'map';
  pairs: { key: YamlNode; value: YamlNode }[];
}

/**
 * A value of a YAML document. An alias is the same node as its anchor, so nodes make a graph without cycles, of bounded
 * size when it is written out as a tree.
 */
export type YamlNode = ScalarNode | ListNode | MapNode;

/** Nothing written, as in a mapping whose entries are all commented out. */
export function isEmpty(node: YamlNode): boolean {
  return node.type === 'scalar' && node.value === null;
}
