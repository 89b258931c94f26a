import { describe, YAML_WORDS } from '../records/describe.js';
import type { YamlNode } from './yaml-node.js';

export function describeNode(node: YamlNode): string {
  if (node.type === 'map') return 'is a mapping';
  return node.type === 'list' ? 'is a list' : describe(node.value, YAML_WORDS);
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
