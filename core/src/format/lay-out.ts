import { type Document, isAlias, isCollection, isMap, isScalar, type Node, Scalar, visit, type YAMLMap } from 'yaml';
import { WIDTH } from '../manifest/yaml-text.js';
import type { KeyOrder } from './key-order.js';
import { oneLine } from './one-line.js';
import { type Place, settleScalar } from './scalar-style.js';

const STEP = 2;

interface Within {
  text: string;
  /** Whether keys may be put in order: an alias must come after its anchor. */
  mayOrder: boolean;
}

/**
 * Changes a document so that it is written in one style. What stands on one line stays there while it fits; comments, and
 * blank lines between entries, stay.
 */
export function layOut(document: Document, order: KeyOrder, text: string): void {
  const { contents } = document;
  if (isScalar(contents) && contents.value === null && contents.comment != null) {
    contents.commentBefore = contents.comment;
    delete contents.comment;
  }
  if (!isCollection(contents)) return;
  let mayOrder = true;
  visit(document, {
    Alias: () => {
      mayOrder = false;
    },
  });
  const within = { text, mayOrder };
  if (isMap(contents) && mayOrder && !isOrdered(contents, order)) keepModeline(contents, document);
  open(contents, order, 0, within);
}

/** Leaves a comment for an editor, above the first key, at the top of the file. */
function keepModeline({ items: [first] }: YAMLMap, document: Document): void {
  const key = first?.key as Node | undefined;
  const lines = key?.commentBefore?.split('\n') ?? [];
  const count = lines.findLastIndex((line) => /^ *yaml-language-server:/.test(line)) + 1;
  if (key === undefined || count === 0) return;
  const top = lines.slice(0, count).join('\n');
  document.commentBefore = document.commentBefore == null ? top : `${document.commentBefore}\n${top}`;
  key.commentBefore = lines.slice(count).join('\n');
}

/** Lays a collection out with a line for each entry, which begins in this column. */
function open(collection: Node, order: KeyOrder, column: number, within: Within): void {
  if (!isCollection(collection)) return;
  collection.flow = false;
  if (!isMap(collection)) {
    const items = collection.items as (Node | null)[];
    for (const [index, item] of items.entries()) {
      if (item === null) continue;
      if (index === 0) item.spaceBefore = false;
      items[index] = settle(item, order.each, { column: column + STEP, at: column + STEP, place: 'inline' }, within);
    }
    return;
  }
  if (within.mayOrder) putInOrder(collection, order);
  for (const [index, pair] of collection.items.entries()) {
    const key = pair.key as Node;
    if (index === 0) key.spaceBefore = false;
    if (isScalar(key)) settleScalar(key, 'inline', within.text);
    const value = pair.value as Node | null;
    if (value === null) continue;
    value.spaceBefore = false;
    takeComments(key, value, within.text);
    const name = keyOf(key);
    const below = (name === undefined ? undefined : order.below?.get(name)) ?? order.each;
    const width = isScalar(key) ? `${key.source}: `.length : 0;
    pair.value = settle(value, below, { column: column + STEP, at: column + width, place: 'block' }, within);
  }
}

interface Standing {
  /** The column of the entries, if it takes several lines. */
  column: number;
  /** The column after what stands before it on its first line. */
  at: number;
  place: Place;
}

/** Returns what is written in the place of a node. */
function settle(node: Node, order: KeyOrder | undefined, { column, at, place }: Standing, within: Within): Node {
  if (isAlias(node)) return node;
  if (isScalar(node)) {
    settleScalar(node, place, within.text);
    return node;
  }
  if (!isCollection(node)) return node;
  if (node.flow === true || node.items.length === 0) {
    if (within.mayOrder && order !== undefined) orderWithin(node, order);
    const line = oneLine(node, within.text);
    if (line !== undefined && (node.items.length === 0 || at + line.length <= WIDTH)) return asScalar(node, line);
  }
  open(node, order ?? {}, column, within);
  return node;
}

/** Puts a collection that stands on one line in order, and all within it. */
function orderWithin(node: Node, order: KeyOrder): void {
  if (!isCollection(node)) return;
  if (!isMap(node)) {
    if (order.each !== undefined)
      for (const item of node.items as (Node | null)[]) if (item) orderWithin(item, order.each);
    return;
  }
  putInOrder(node, order);
  for (const { key, value } of node.items) {
    const below = order.below?.get(keyOf(key as Node) ?? '') ?? order.each;
    if (below !== undefined && value !== null) orderWithin(value as Node, below);
  }
}

/** A collection as a scalar that is written as this text. */
function asScalar(node: Node & { anchor?: string | undefined }, line: string): Scalar {
  const scalar = new Scalar(line);
  scalar.source = line;
  scalar.type = 'PLAIN';
  if (node.anchor !== undefined) scalar.anchor = node.anchor;
  if (node.comment != null) scalar.comment = node.comment;
  if (node.commentBefore != null) scalar.commentBefore = node.commentBefore;
  if (node.spaceBefore) scalar.spaceBefore = true;
  return scalar;
}

/** Gives the key the comment that stands on its line, which the parser gives to what begins on the next. */
function takeComments(key: Node, value: Node, text: string): void {
  if (!isScalar(key) || key.comment != null || !key.range || !isCollection(value)) return;
  const { commentBefore, comment } = value;
  const [first = '', ...rest] = commentBefore?.split('\n') ?? [];
  const line = text.slice(key.range[1], text.indexOf('\n', key.range[1]));
  if (
    commentBefore != null &&
    line.trimEnd().endsWith(`#${first}`.trimEnd()) &&
    /^\s*:\s*(?:[&!]\S*\s+)*#/.test(line)
  ) {
    key.comment = first;
    if (rest.length > 0) value.commentBefore = rest.join('\n');
    else delete value.commentBefore;
  } else if (value.flow && comment != null && !comment.includes('\n') && !fits(value, text)) {
    key.comment = comment;
    delete value.comment;
  }
}

function fits(value: Node, text: string): boolean {
  return (oneLine(value, text)?.length ?? Number.POSITIVE_INFINITY) <= WIDTH;
}

function keyOf(key: Node): string | undefined {
  return isScalar(key) ? String(key.value) : undefined;
}

function rank({ keys = [] }: KeyOrder, key: unknown): number {
  const at = keys.indexOf(keyOf(key as Node) ?? '');
  return at < 0 ? keys.length : at;
}

function isOrdered({ items }: YAMLMap, order: KeyOrder): boolean {
  return items.every((pair, at) => at === 0 || rank(order, items[at - 1]?.key) <= rank(order, pair.key));
}

/** Puts the entries of a mapping in order, with the comments above them. Blank lines stay in their places. */
function putInOrder(map: YAMLMap, order: KeyOrder): void {
  if (isOrdered(map, order)) return;
  const [first] = map.items;
  if (map.commentBefore != null && first !== undefined && !map.flow) {
    const key = first.key as Node;
    key.commentBefore = key.commentBefore == null ? map.commentBefore : `${map.commentBefore}\n${key.commentBefore}`;
    delete map.commentBefore;
  }
  const spaces = map.items.map(({ key }) => (key as Node).spaceBefore ?? false);
  map.items.sort((left, right) => rank(order, left.key) - rank(order, right.key));
  for (const [index, { key }] of map.items.entries()) (key as Node).spaceBefore = spaces[index] ?? false;
}
