import {
  Document,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  type Node,
  type Pair,
  parse,
  Scalar,
  visit,
  YAMLMap,
  YAMLSeq,
} from 'yaml';
import { equalJson } from '../state/equal-json.js';

type Item = Node | Pair;
type Collection = YAMLMap | YAMLSeq;

interface Edit {
  start: number;
  end: number;
  text: string;
}

/** A document as it was parsed, so that what is changed of it afterwards can be told from what is not. */
export class ParsedDocument {
  readonly #items = new Map<Collection, readonly Item[]>();
  readonly #values = new Map<Pair, unknown>();
  readonly #scalars = new Map<Scalar, unknown>();

  constructor(
    readonly document: Document,
    private readonly text: string,
  ) {
    visit(document, {
      Collection: (_, node) => {
        this.#items.set(node as Collection, [...(node as Collection).items] as Item[]);
      },
      Pair: (_, pair) => {
        this.#values.set(pair, pair.value);
      },
      Scalar: (_, scalar) => {
        this.#scalars.set(scalar, scalar.value);
      },
    });
  }

  /**
   * The text with what has been changed in the document since, in which every other byte is as it was; undefined where a
   * change cannot be written like that.
   */
  spliced(): string | undefined {
    const { contents } = this.document;
    if (!isCollection(contents) || !this.#items.has(contents as Collection)) return undefined;
    const edits: Edit[] = [];
    if (!this.#collect(contents as Collection, edits)) return undefined;
    const [returns, lines] = [this.text.split('\r\n').length, this.text.split('\n').length];
    const end = returns * 2 > lines ? '\r\n' : '\n';
    let at = 0;
    let text = '';
    for (const edit of edits.sort((left, right) => left.start - right.start)) {
      if (edit.start < at) return undefined;
      text += this.text.slice(at, edit.start) + edit.text.replaceAll('\n', end);
      at = edit.end;
    }
    text += this.text.slice(at);
    try {
      return equalJson(parse(text), this.document.toJS()) ? text : undefined;
    } catch {
      return undefined;
    }
  }

  /** Adds the edits of a collection and of all within it; false where one cannot be written. */
  #collect(collection: Collection, edits: Edit[]): boolean {
    const before = this.#items.get(collection) ?? [];
    const now = new Set(collection.items as Item[]);
    const kept = before.filter((item) => now.has(item));
    const added = (collection.items as Item[]).filter((item) => !before.includes(item));
    if (![...kept, ...added].every((item, at) => item === collection.items[at])) return false;
    for (const item of kept) if (!this.#inItem(item, collection.flow === true, edits)) return false;
    if (kept.length === before.length && added.length === 0) return true;
    return collection.flow
      ? this.#inFlow(collection, before, kept, added, edits)
      : this.#inBlock(collection, before, kept, added, edits);
  }

  #inItem(item: Item, flow: boolean, edits: Edit[]): boolean {
    if (!isPair(item)) return this.#inNode(item, flow, false, edits);
    const was = this.#values.get(item);
    if (isNode(item.key) && !this.#inNode(item.key, flow, true, edits)) return false;
    if (item.value === was) return !isNode(was) || this.#inNode(was, flow, false, edits);
    // Another value takes the place of the one that stood there.
    if (!isNode(was) || !isNode(item.value) || was.range == null) return false;
    const [start, valueEnd] = was.range;
    const column = start - this.#lineStart(start);
    const isBlock = isCollection(was) && !was.flow;
    const end = valueEnd > start && this.text[valueEnd - 1] === '\n' ? valueEnd - 1 : valueEnd;
    const text =
      isBlock && isCollection(item.value) && item.value.items.length > 0
        ? indented(written(item.value), column).trim()
        : flowText(item.value);
    edits.push({
      start,
      end: this.#trimmed(start, end),
      text: start === valueEnd && /\S/.test(this.text[start - 1] ?? '') ? ` ${text}` : text,
    });
    return true;
  }

  #inNode(node: Node, flow: boolean, isKey: boolean, edits: Edit[]): boolean {
    if (isCollection(node)) return this.#collect(node as Collection, edits);
    if (!isScalar(node) || node.value === this.#scalars.get(node)) return true;
    if (node.range == null) return false;
    const [start, end] = node.range;
    const source = this.text.slice(start, end);
    const inPlace = replacedIn(source, String(this.#scalars.get(node)), String(node.value));
    edits.push({ start, end, text: inPlace ?? scalarText(node, flow, isKey) + (source.endsWith('\n') ? '\n' : '') });
    return true;
  }

  #inFlow(
    { range }: Collection,
    before: readonly Item[],
    kept: readonly Item[],
    added: readonly Item[],
    edits: Edit[],
  ): boolean {
    if (range == null) return false;
    const last = kept.at(-1);
    const lastAt = last === undefined ? -1 : before.indexOf(last);
    for (const [at, item] of before.entries()) {
      if (at > lastAt || kept.includes(item)) continue;
      edits.push({ start: startOf(item), end: startOf(before[at + 1] as Item), text: '' });
    }
    const tail = before.at(-1);
    const start = last === undefined ? range[0] + 1 : endOf(last);
    const end = tail === undefined || tail === last ? start : endOf(tail);
    const texts = added.map((item) => flowText(containerOf(item)).slice(1, -1).trim());
    const padded = this.text.slice(range[0], range[1]) === '{}' ? ` ${texts.join(', ')} ` : texts.join(', ');
    edits.push({ start, end, text: last === undefined || added.length === 0 ? padded : `, ${padded}` });
    return true;
  }

  #inBlock(
    collection: Collection,
    before: readonly Item[],
    kept: readonly Item[],
    added: readonly Item[],
    edits: Edit[],
  ): boolean {
    const [first, last] = [before[0], before.at(-1)];
    if (first === undefined || last === undefined) return false;
    const startIn = (item: Item) => this.#itemStart(item, isMap(collection));
    for (const item of before) {
      if (kept.includes(item)) continue;
      const begins = startIn(item);
      const start = this.#lineStart(begins);
      // What begins on the line of what it lies in leaves that line incomplete.
      if (begins < 0 || this.text.slice(start, begins).trim() !== '') return false;
      const comment = item === first ? 0 : this.#commentBefore(start, this.text.slice(start, begins));
      edits.push({ start: start - comment, end: this.#lineEnd(item), text: '' });
    }
    if (kept.length === 0 && added.length === 0) return false;
    if (added.length === 0) return true;
    const begins = startIn(first);
    if (begins < 0) return false;
    const column = begins - this.#lineStart(begins);
    const at = this.#lineEnd(last);
    const text = added.map((item) => indented(written(containerOf(item)), column)).join('');
    const broken = at > 0 && this.text[at - 1] !== '\n';
    edits.push({ start: at, end: at, text: broken ? `\n${text.replace(/\n$/, '')}` : text });
    return true;
  }

  /** The start of an item of a block collection, with its indicator; -1 where that is not seen. */
  #itemStart(item: Item, inMap: boolean): number {
    const start = startOf(item);
    const before = this.text.slice(0, start);
    if (inMap) return /\?[ \t]+$/.test(before) ? before.search(/\?[ \t]+$/) : start;
    return before.search(/-[ \t]*(?:(?:#[^\n]*)?\r?\n[ \t]*)*$/);
  }

  /** The length of the comment that stands on the lines before an item, with the same indent: it is about the item. */
  #commentBefore(start: number, indent: string): number {
    let at = start;
    for (;;) {
      const line = this.#lineStart(at - 1);
      if (at === 0 || !this.text.startsWith(`${indent}#`, line)) return start - at;
      at = line;
    }
  }

  #lineStart(at: number): number {
    return this.text.lastIndexOf('\n', at - 1) + 1;
  }

  /** The end of the line on which an item ends. */
  #lineEnd(item: Item): number {
    const end = endOf(item);
    if (this.text[end - 1] === '\n') return end;
    const next = this.text.indexOf('\n', end);
    return next < 0 ? this.text.length : next + 1;
  }

  #trimmed(start: number, end: number): number {
    return start + this.text.slice(start, end).trimEnd().length;
  }
}

function startOf(item: Item): number {
  const node = isPair(item) ? item.key : item;
  return isNode(node) ? (node.range?.[0] ?? -1) : -1;
}

/** The end of an item's text; a collection ends with its last item. */
function endOf(item: Item): number {
  const node = isPair(item) ? (isNode(item.value) ? item.value : item.key) : item;
  if (!isNode(node)) return -1;
  const last = isCollection(node) && !node.flow ? node.items.at(-1) : undefined;
  const end = last === undefined ? -1 : endOf(last as Item);
  return end >= 0 ? end : (node.range?.[1] ?? -1);
}

function containerOf(item: Item): Collection {
  const collection = isPair(item) ? new YAMLMap() : new YAMLSeq();
  collection.items.push(item as never);
  return collection;
}

function written(node: Node): string {
  return new Document(node).toString({ lineWidth: 0 });
}

/** On one line. */
function flowText(node: Node): string {
  const copy = node.clone() as Node;
  copy.commentBefore = null;
  if (isCollection(copy)) copy.flow = true;
  return written(copy).trim().replace(/\[ /g, '[').replace(/ \]/g, ']');
}

function scalarText({ value, type }: Scalar, flow: boolean, isKey: boolean): string {
  const scalar = new Scalar(value);
  if (type === Scalar.QUOTE_DOUBLE || type === Scalar.QUOTE_SINGLE) scalar.type = type;
  if (isKey) {
    const map = new YAMLMap<Scalar, Scalar>();
    map.set(scalar, new Scalar(0));
    return written(map).trim().replace(/: 0$/, '');
  }
  const list = new YAMLSeq();
  list.items.push(scalar);
  list.flow = flow;
  return flow ? written(list).trim().slice(1, -1).trim() : written(list).trim().slice(2);
}

function indented(text: string, column: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(column));
}

/** The source of a text in which just the part that differs is replaced, where that part stands in it once. */
function replacedIn(source: string, before: string, after: string): string | undefined {
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start++;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  // With the rest of its line about it, so that it is told from others.
  const [from, to] = [before.slice(0, start).search(/\S*$/), before.length - end];
  const old = before.slice(from, to);
  if (old === '' || !/^[\w./ %@+-]+$/.test(after.slice(from, after.length - end)) || source.split(old).length !== 2)
    return undefined;
  return source.replace(old, () => after.slice(from, after.length - end));
}
