import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  visit,
} from 'yaml';
import type { SourcePlace } from '../manifest/manifest.js';

/**
 * A node that declares a record: the entry of a mapping, or the item of a list, and all that it lies in, the innermost last.
 */
export interface FoundNode {
  readonly node: Node | Pair;
  readonly within: readonly (Document | Node | Pair)[];
}

/** The entry or item that begins at a place. */
export function nodeAt(
  document: Document,
  lines: LineCounter | undefined,
  { line, column }: SourcePlace,
): FoundNode | undefined {
  const start = lines?.lineStarts[line - 1];
  if (start === undefined) return undefined;
  const offset = start + column - 1;
  let found: FoundNode | undefined;
  visit(document, (_, node, within) => {
    const parent = within.at(-1);
    const isEntry = isPair(node) && isScalar(node.key) && node.key.range?.[0] === offset;
    const isItem = isNode(node) && isSeq(parent) && node.range?.[0] === offset;
    if (!isEntry && !isItem) return undefined;
    found = { node: node as Node | Pair, within: [...within] as FoundNode['within'] };
    return visit.BREAK;
  });
  return found;
}

/** Takes an entry or item out, with the list that it leaves empty. */
export function removeNode({ node, within }: FoundNode): void {
  const parent = within.at(-1);
  if (!isCollection(parent)) return;
  parent.items = parent.items.filter((item) => item !== node) as typeof parent.items;
  const holder = within.at(-2);
  const map = within.at(-3);
  if (isSeq(parent) && parent.items.length === 0 && isPair(holder) && isMap(map))
    map.items = map.items.filter((item) => item !== holder);
}
