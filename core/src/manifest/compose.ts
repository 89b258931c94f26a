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

/**
 * Makes nodes of the parser's, with every alias replaced by what it stands for. One pass, however much the aliases
 * would expand to.
 */
class Converter {
  /** By name, the last one so far; without `extent` while its own node is being read. */
  private readonly anchors = new Map<string, { node: YamlNode; extent?: Extent }>();
  private aliased = 0;
  private sound = true;

  constructor(
    private readonly refuse: Refuse,
    private readonly shared: Set<YamlNode>,
  ) {}

  root(contents: unknown): YamlNode | undefined {
    const { node } = this.convert(contents, 0);
    return this.sound ? node : undefined;
  }

  private convert(from: unknown, at: number): { node: YamlNode; extent: Extent } {
    if (isAlias(from)) return this.follow(from);
    const nothing = isScalar(from) && from.value === null && from.source === '';
    const [start = at, end = at] = nothing ? [] : ((from as ParsedNode | null)?.range ?? []);
    let node: YamlNode;
    const extent: Extent = { values: 1, depth: 1 };
    if (isMap(from)) node = { type: 'map', start, end, pairs: [] };
    else if (isSeq(from)) node = { type: 'list', start, end, items: [] };
    else node = scalar(from, start, end);
    const anchor = (from as ParsedNode | null)?.anchor;
    const entry: { node: YamlNode; extent?: Extent } = { node };
    if (anchor !== undefined) this.anchors.set(anchor, entry);
    const put = (inner: unknown, near: number): YamlNode => {
      const part = this.convert(inner, near);
      extent.values += part.extent.values;
      extent.depth = Math.max(extent.depth, part.extent.depth + 1);
      return part.node;
    };
    if (node.type === 'map' && isMap(from)) {
      for (const pair of from.items) {
        if (!isPair(pair)) continue;
        const key = put(pair.key, start);
        node.pairs.push({ key, value: put(pair.value, key.end) });
      }
    } else if (node.type === 'list' && isSeq(from)) {
      for (const item of from.items) node.items.push(put(item, start));
    }
    entry.extent = extent;
    return { node, extent };
  }

  private follow(alias: Alias): { node: YamlNode; extent: Extent } {
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
        return { node: anchor.node, extent: anchor.extent };
      }
      if (before <= MAX_ALIASED_VALUES) {
        fault = `Aliases stand for more than ${MAX_ALIASED_VALUES} values, or too deep ones: write fewer of them.`;
      }
    }
    if (fault !== undefined) this.refuse(start, fault);
    this.sound = false;
    return { node: scalar(null, start, end), extent: { values: 1, depth: 1 } };
  }
}

function scalar(from: unknown, start: number, end: number): YamlNode {
  if (!isScalar(from)) return { type: 'scalar', start, end, value: null, style: 'plain', source: '' };
  const { value, type = 'PLAIN', source = '', tag } = from;
  if (tag !== undefined && !KNOWN_TAG.test(tag)) {
    return { type: 'scalar', start, end, value: null, style: 'plain', source: '', mistagged: true };
  }
  const style = type === 'PLAIN' ? 'plain' : type.startsWith('BLOCK') ? 'block' : 'quoted';
  return { type: 'scalar', start, end, value: value as null, style, source: style === 'plain' ? source : '' };
}
