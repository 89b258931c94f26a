import { isAlias, isMap, isScalar, isSeq, type Node } from 'yaml';
import { KEY_LENGTH } from '../manifest/yaml-text.js';
import { inlineText } from './scalar-style.js';

/** A node on one line; undefined where a comment, a blank line, a tag or a long text in it needs lines of its own. */
export function oneLine(node: Node | null, text: string): string | undefined {
  if (node === null) return 'null';
  if (isAlias(node)) return `*${node.source}`;
  if (isScalar(node)) return node.tag === undefined ? inlineText(node, text) : undefined;
  if (isSeq(node)) {
    const items = node.items.map((item) => withinLine(item as Node | null, text));
    return items.includes(undefined) || node.tag !== undefined ? undefined : `[${items.join(', ')}]`;
  }
  if (!isMap(node) || node.tag !== undefined) return undefined;
  const members: string[] = [];
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? withinLine(key, text) : undefined;
    const line = withinLine(value as Node | null, text);
    if (name === undefined || line === undefined || name.length > KEY_LENGTH) return undefined;
    members.push(`${name}: ${line}`);
  }
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function withinLine(node: Node | null, text: string): string | undefined {
  if (node === null) return 'null';
  if (node.comment != null || node.commentBefore != null || node.spaceBefore) return undefined;
  const line = oneLine(node, text);
  const anchor = 'anchor' in node ? node.anchor : undefined;
  return anchor === undefined || line === undefined ? line : `&${anchor} ${line}`;
}
