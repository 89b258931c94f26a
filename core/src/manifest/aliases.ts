import { type Alias, isAlias, isCollection, isPair, type Node } from 'yaml';
import { MAX_ALIASED_VALUES, MAX_DEPTH } from './limits.js';
import type { Findings, Source } from './source.js';

/** What a node is once its aliases are written out. */
interface Extent {
  values: number;
  depth: number;
}

/**
 * Finds the node that every alias stands for, or reports why it cannot be: no anchor before it, an alias inside its
 * own anchor, or more values than memory should hold. Costs one pass, however much the aliases would expand to.
 */
export function linkAliases(root: Node | null, source: Source, findings: Findings): Map<Alias, Node> | undefined {
  const anchors = new Map<string, { node: Node; extent?: Extent }>();
  const targets = new Map<Alias, Node>();
  let aliased = 0;
  let sound = true;

  const refuse = (alias: Alias, text: string): Extent => {
    findings.fault(source, alias.range?.[0] ?? 0, { label: '' }, text);
    sound = false;
    return { values: 1, depth: 1 };
  };

  const follow = (alias: Alias): Extent => {
    const anchor = anchors.get(alias.source);
    if (anchor === undefined) {
      return refuse(
        alias,
        `The alias *${alias.source} has no anchor &${alias.source} before it: add it, or use quotes.`,
      );
    }
    if (anchor.extent === undefined) return refuse(alias, `The alias *${alias.source} stands inside its own anchor.`);
    const within = aliased <= MAX_ALIASED_VALUES;
    aliased += anchor.extent.values;
    if (aliased > MAX_ALIASED_VALUES || anchor.extent.depth > MAX_DEPTH) {
      if (!within) return { values: 1, depth: 1 };
      return refuse(alias, `Aliases stand for more than ${MAX_ALIASED_VALUES} values here: write fewer of them.`);
    }
    targets.set(alias, anchor.node);
    return anchor.extent;
  };

  const measure = (node: unknown): Extent => {
    if (isAlias(node)) return follow(node);
    if (isPair(node)) return join([node.key, node.value].map(measure), 0);
    const anchor = (node as { anchor?: string } | null)?.anchor;
    const entry: { node: Node; extent?: Extent } = { node: node as Node };
    if (anchor !== undefined) anchors.set(anchor, entry);
    entry.extent = isCollection(node) ? join(node.items.map(measure), 1) : { values: 1, depth: 1 };
    return entry.extent;
  };

  measure(root);
  return sound ? targets : undefined;
}

function join(parts: Extent[], level: number): Extent {
  let values = level;
  let depth = 0;
  for (const part of parts) {
    values += part.values;
    depth = Math.max(depth, part.depth);
  }
  return { values, depth: depth + level };
}
