import { type PackedNodes, packNodes } from './pack-nodes.js';
import { type Parsed, parseText } from './parse-text.js';
import { withoutMark } from './source.js';

/**
 * The text of a file as YAML, as plain data that other threads can find and that can be kept for the same text: it depends
 * on nothing else.
 */
export interface ParsedText extends PackedNodes {
  refused: Parsed['refused'];
}

/** Parses the text of a file ahead of reading it. */
export function parsedText(text: string): ParsedText {
  const unmarked = withoutMark(text);
  const { roots, shared, refused } = parseText(unmarked);
  return { ...packNodes(roots, shared, unmarked), refused };
}
