import { type Findings, placeText } from './source.js';
import type { YamlDocument } from './yaml-document.js';
import type { YamlNode } from './yaml-node.js';

/**
 * Makes a copy of a node to stand at `at`, a node of another document: faults in it name both places. Aliases in it become
 * copies, too, whose number the parser has bounded.
 */
export function lend(
  findings: Findings,
  from: { document: YamlDocument; node: YamlNode },
  to: { document: YamlDocument; at: YamlNode },
): YamlNode {
  const borrowed = { source: from.document.sourceOf(from.node), at: placeText(to.document.place(to.at)) };
  const copy = (node: YamlNode): YamlNode => {
    const copied: YamlNode =
      node.type === 'list'
        ? { ...node, items: node.items.map(copy) }
        : node.type === 'map'
          ? { ...node, pairs: node.pairs.map(({ key, value }) => ({ key: copy(key), value: copy(value) })) }
          : { ...node };
    findings.borrowed.set(copied, borrowed);
    return copied;
  };
  return copy(from.node);
}

/** Whether two nodes say the same; the order of a mapping's keys means nothing. */
export function isSame(left: YamlNode, right: YamlNode): boolean {
  if (left.type === 'scalar') return right.type === 'scalar' && left.value === right.value;
  if (left.type === 'list') {
    return (
      right.type === 'list' &&
      left.items.length === right.items.length &&
      left.items.every((item, index) => isSame(item, right.items[index] as YamlNode))
    );
  }
  return (
    right.type === 'map' &&
    left.pairs.length === right.pairs.length &&
    left.pairs.every(({ key, value }) =>
      right.pairs.some((other) => isSame(key, other.key) && isSame(value, other.value)),
    )
  );
}
