import { describe, YAML_WORDS } from '../records/describe.js';
import type { YamlNode } from './yaml-node.js';

export function describeNode(node: YamlNode): string {
  if (node.type === 'map') return 'is a mapping';
  return node.type === 'list' ? 'is a list' : describe(node.value, YAML_WORDS);
}

/** Says that only a mapping makes sense there. */
export function expectedMapping(node: YamlNode): string {
  return `${describeNode(node)}, a mapping is expected.`;
}

/** Says that only a list makes sense there. */
export function expectedList(node: YamlNode): string {
  const remedy = node.type === 'scalar' && node.style === 'plain' ? `: write [${node.source}].` : '.';
  return `${describeNode(node)}, a list is expected${remedy}`;
}
