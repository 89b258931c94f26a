import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
  type Scalar,
} from 'yaml';
import { MAX_ALIASED_VALUES, MAX_DEPTH } from './limits.js';
import { yamlFaults } from './yaml-fault.js';
import type { YamlNode } from './yaml-node.js';

/** The roots of the documents of a text, and the nodes in them that aliases have put into more than one place. */
export interface Composed {
  roots: YamlNode[];
  shared: ReadonlySet<YamlNode>;
}

/** Tells what cannot be read at this offset. */
export type Refuse = (offset: number, text: string) => void;

const OPTIONS = {
  // Keys are compared later, where both places can be named and it does not slow down with the square of a map's size.
  uniqueKeys: false,
  prettyErrors: false,
  resolveKnownTags: false,
  logLevel: 'silent',
} as const;

/** The tags of the core schema (YAML 1.2.2 section 10.3) that scalars may have. */
const KNOWN_TAG = /^tag:yaml\.org,2002:(?:str|int|float|bool|null)$/;

/**
 * Parses any YAML 1.2 into the roots of its documents, refusing what is faulty, too deep, or stands for too much by
 * aliases. A document with a fault is left out, unless it only has tags that are not known.
 */
export function composeYaml(text: string, refuse: Refuse): Composed {
  const lexer = new Lexer();
  const parser = new Parser();
  // The parser's own state, which its types keep private.
  const state = parser as unknown as { stack: readonly unknown[]; offset: number };
  const composer = new Composer<ParsedNode>(OPTIONS);
  const roots: YamlNode[] = [];
  const shared = new Set<YamlNode>();
  const take = (documents: Iterable<Document.Parsed<ParsedNode>>): void => {
    for (const document of documents) {
      const root = rootOf(document, text, refuse, shared);
      if (root !== undefined) roots.push(root);
    }
  };
  for (const lexeme of lexer.lex(text)) {
    for (const token of parser.next(lexeme)) take(composer.next(token));
    // The parser and the composer recurse, so depth is bounded before they meet it.
    if (state.stack.length > MAX_DEPTH) {
      refuse(state.offset, `Nested deeper than ${MAX_DEPTH} levels: flatten it.`);
      return { roots, shared };
    }
  }
  for (const token of parser.end()) take(composer.next(token));
  take(composer.end(false, text.length));
  return { roots, shared };
}

function rootOf(
  document: Document.Parsed<ParsedNode>,
  text: string,
  refuse: Refuse,
  shared: Set<YamlNode>,
): YamlNode | undefined {
  const { errors, warnings, directives, contents } = document;
  const { yaml } = directives;
  if (yaml.explicit && yaml.version !== '1.2') {
    refuse(0, `%YAML ${yaml.version} gives words like "yes" another meaning: remove the line, YAML 1.2 is read.`);
    return undefined;
  }
  const faults = [...errors, ...warnings];
  if (faults.length > 0) for (const fault of yamlFaults(document, text)) refuse(fault.offset, fault.text);
  // An unknown tag does not affect the rest of the document; after any other fault nothing is certain.
  if (!faults.every(({ code }) => code === 'TAG_RESOLVE_FAILED')) return undefined;
  return new Converter(refuse, shared).root(contents);
}

/** The extent of a node once its aliases are written out. */
interface Extent {
  values: number;
  depth: number;
}

/** The extent of a scalar. */
const ONE: Extent = { values: 1, depth: 1 };

/** The node that a name stands for; without `extent` while that node is being read. */
interface Anchor {
  node: YamlNode;
  extent?: Extent;
}

/**
 * Makes nodes of the parser's, with every alias replaced by what it stands for. One pass, however much the aliases
 * would expand to.
 */
class Converter {
  /** By name, the last one so far. */
  private readonly anchors = new Map<string, Anchor>();
  private aliased = 0;
  private sound = true;

  constructor(
    private readonly refuse: Refuse,
    private readonly shared: Set<YamlNode>,
  ) {}

  root(contents: unknown): YamlNode | undefined {
    const node = this.convert(contents, 0, { values: 0, depth: 0 });
    return this.sound ? node : undefined;
  }

  /** `at` is where a node stands that has no place of its own; what it stands for is added to the extent of its parent. */
  private convert(from: unknown, at: number, around: Extent): YamlNode {
    if (isScalar(from)) {
      const nothing = from.value === null && from.source === '';
      const [start = at, end = at] = nothing ? [] : (from.range ?? []);
      const node = scalar(from, start, end);
      if (from.anchor !== undefined) this.anchors.set(from.anchor, { node, extent: ONE });
      return counted(node, ONE, around);
    }
    if (isAlias(from)) return this.follow(from, around);
    const [start = at, end = at] = (from as ParsedNode | null)?.range ?? [];
    const extent: Extent = { values: 1, depth: 1 };
    if (isMap(from)) {
      const node: YamlNode = { type: 'map', start, end, pairs: [] };
      const anchor = this.begin(from.anchor, node);
      for (const pair of from.items) {
        if (!isPair(pair)) continue;
        const key = this.convert(pair.key, start, extent);
        node.pairs.push({ key, value: this.convert(pair.value, key.end, extent) });
      }
      if (anchor !== undefined) anchor.extent = extent;
      return counted(node, extent, around);
    }
    if (isSeq(from)) {
      const node: YamlNode = { type: 'list', start, end, items: [] };
      const anchor = this.begin(from.anchor, node);
      for (const item of from.items) node.items.push(this.convert(item, start, extent));
      if (anchor !== undefined) anchor.extent = extent;
      return counted(node, extent, around);
    }
    return counted(nothingAt(start, end), ONE, around);
  }

  /** Notes a collection that has a name, which its own items may take for another. */
  private begin(name: string | undefined, node: YamlNode): Anchor | undefined {
    if (name === undefined) return undefined;
    const anchor: Anchor = { node };
    this.anchors.set(name, anchor);
    return anchor;
  }

  private follow(alias: Alias, around: Extent): YamlNode {
    const [start = 0, end = 0] = alias.range ?? [];
    const name = alias.source;
    const anchor = this.anchors.get(name);
    const before = this.aliased;
    let fault: string | undefined;
    if (anchor === undefined) {
      fault = `The alias *${name} has no anchor &${name} before it: add it, or put the value in quotes.`;
    } else if (anchor.extent === undefined) {
      fault = `The alias *${name} stands inside its own anchor.`;
    } else {
      this.aliased += anchor.extent.values;
      if (this.aliased <= MAX_ALIASED_VALUES && anchor.extent.depth <= MAX_DEPTH) {
        this.shared.add(anchor.node);
        return counted(anchor.node, anchor.extent, around);
      }
      if (before <= MAX_ALIASED_VALUES) {
        fault = `Aliases stand for more than ${MAX_ALIASED_VALUES} values, or too deep ones: write fewer of them.`;
      }
    }
    if (fault !== undefined) this.refuse(start, fault);
    this.sound = false;
    return counted(nothingAt(start, end), ONE, around);
  }
}

/** A node, counted into what is around it. */
function counted(node: YamlNode, extent: Extent, around: Extent): YamlNode {
  around.values += extent.values;
  around.depth = Math.max(around.depth, extent.depth + 1);
  return node;
}

function nothingAt(start: number, end: number): YamlNode {
  return { type: 'scalar', start, end, value: null, style: 'plain', source: '' };
}

function scalar(from: Scalar, start: number, end: number): YamlNode {
  const { value, type = 'PLAIN', source = '', tag } = from;
  if (tag !== undefined && !KNOWN_TAG.test(tag)) {
    return { type: 'scalar', start, end, value: null, style: 'plain', source: '', mistagged: true };
  }
  const style = type === 'PLAIN' ? 'plain' : type.startsWith('BLOCK') ? 'block' : 'quoted';
  return { type: 'scalar', start, end, value: value as null, style, source: style === 'plain' ? source : '' };
}
