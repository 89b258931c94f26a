import { MAX_DEPTH } from './limits.js';
import type { ListNode, MapNode, ScalarNode, YamlNode } from './yaml-node.js';

/** Thrown where a text is not plain enough for this parser. It says nothing about whether it is sound. */
class Unusual extends Error {}

const SPACE = 0x20;
const LINE_END = 0x0a;
const COMMENT = 0x23;
const DASH = 0x2d;
const COLON = 0x3a;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const BACKSLASH = 0x5c;

/** Tabs, other line ends than `\n`, and the marks of documents and directives. */
const UNUSUAL = /[\t\r\u0085\u2028\u2029\ufeff]|^(?:---|\.\.\.|%)/m;

const KEY =
  /[\w(./+~\u00a0-\uffff](?:[\w()./+~@%$<=>!*&;^\u00a0-\uffff-]|[ :](?=[\w()./+~\u00a0-\uffff]))*(?=:(?: |\n|$))/y;

/** A text in double quotes with no escapes but those that JSON has too. */
const JSON_TEXT = /^"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"$/;

/** Signs that a plain scalar does not begin with, here or anywhere. */
const NOT_FIRST = new Set('?:,[]{}#&*!|>\'"%@`');
const FLOW_SIGNS = new Set(',[]{}');

const NUMBER = /^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
const WORDS = new Map<string, null | boolean | number>([
  ...['~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Number.POSITIVE_INFINITY] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
]);

/** The longest key on one line that is sure to be allowed. */
const KEY_LENGTH = 1000;

/**
 * Parses YAML as nearly everybody writes it: one document of block mappings and lists, with scalars and brackets that
 * end on their line. Returns undefined at the first sign that is anything else, sound or not, so that the whole text
 * goes to the full parser; what it does return is exactly what that one would. It is here for speed alone: large trees
 * are read several times faster.
 */
export function parseSimpleYaml(text: string): YamlNode | undefined {
  const from = text.startsWith('---\n') ? 4 : 0;
  if (UNUSUAL.test(from === 0 ? text : text.slice(from))) return undefined;
  try {
    return new SimpleParser(text, from).document();
  } catch (error) {
    if (error instanceof Unusual) return undefined;
    throw error;
  }
}

class SimpleParser {
  /** The indentation of the line that `at` is on; -1 at the end of the text. */
  private indent = -1;
  private depth = 0;

  constructor(
    private readonly text: string,
    private at: number,
  ) {}

  document(): YamlNode {
    this.nextLine();
    const root = this.block();
    if (this.indent >= 0) throw new Unusual();
    return root;
  }

  private code(offset = 0): number {
    return this.text.charCodeAt(this.at + offset);
  }

  /** Goes from the start of a line to the first sign of the next one that is neither empty nor a comment. */
  private nextLine(): void {
    const { text } = this;
    for (let start = this.at; ; ) {
      let at = start;
      while (text.charCodeAt(at) === SPACE) at += 1;
      const code = text.charCodeAt(at);
      if (code !== LINE_END && code !== COMMENT) {
        this.indent = at < text.length ? at - start : -1;
        this.at = at;
        return;
      }
      const end = code === LINE_END ? at : text.indexOf('\n', at);
      if (end < 0) {
        this.indent = -1;
        this.at = text.length;
        return;
      }
      start = end + 1;
    }
  }

  /** Goes from behind a value to the next line; only spaces and a comment may follow the value. */
  private endLine(): void {
    const before = this.at;
    this.skipSpaces();
    const code = this.code();
    if (code === COMMENT && this.at > before) {
      const end = this.text.indexOf('\n', this.at);
      this.at = end < 0 ? this.text.length : end;
    } else if (code !== LINE_END && this.at < this.text.length) {
      throw new Unusual();
    }
    this.at += 1;
    this.nextLine();
  }

  private skipSpaces(): void {
    while (this.code() === SPACE) this.at += 1;
  }

  private atLineEnd(): boolean {
    const code = this.code();
    return code === LINE_END || code === COMMENT || this.at >= this.text.length;
  }

  private atDash(): boolean {
    if (this.code() !== DASH) return false;
    const next = this.code(1);
    return next === SPACE || next === LINE_END || Number.isNaN(next);
  }

  private block(): YamlNode {
    return this.atDash() ? this.list(this.indent) : this.map(this.indent);
  }

  /** The mapping whose first key is here, its other keys on lines of this indentation. */
  private map(indent: number): MapNode {
    this.deeper();
    const node: MapNode = { type: 'map', start: this.at, end: this.at, pairs: [] };
    do {
      const key = this.key();
      if (key === undefined) throw new Unusual();
      this.at += 1;
      node.pairs.push({ key, value: this.valueAfter(key, indent) });
      if (this.indent > indent) throw new Unusual();
    } while (this.indent === indent);
    this.depth -= 1;
    node.end = this.at;
    return node;
  }

  private valueAfter(key: ScalarNode, indent: number): YamlNode {
    this.skipSpaces();
    if (!this.atLineEnd()) {
      const value = this.inline(false);
      this.endLine();
      return value;
    }
    this.skipToNextLine();
    if (this.indent > indent) return this.block();
    if (this.indent === indent && this.atDash()) return this.list(indent);
    return empty(key.end);
  }

  private skipToNextLine(): void {
    const end = this.text.indexOf('\n', this.at);
    this.at = end < 0 ? this.text.length : end + 1;
    this.nextLine();
  }

  /** The list whose first dash is here, its other dashes at the same indentation. */
  private list(indent: number): ListNode {
    this.deeper();
    const node: ListNode = { type: 'list', start: this.at, end: this.at, items: [] };
    do {
      const dash = this.at;
      this.at += 1;
      this.skipSpaces();
      if (this.atLineEnd()) {
        this.skipToNextLine();
        node.items.push(this.indent > indent ? this.block() : empty(node.start));
      } else if (this.atDash()) {
        throw new Unusual();
      } else {
        node.items.push(this.item(indent + this.at - dash));
      }
      if (this.indent > indent) throw new Unusual();
    } while (this.indent === indent && this.atDash());
    this.depth -= 1;
    node.end = this.at;
    return node;
  }

  /** The rest of a line behind a dash: a mapping that begins there, or a value. */
  private item(column: number): YamlNode {
    const start = this.at;
    if (this.key() !== undefined) {
      this.at = start;
      return this.map(column);
    }
    this.at = start;
    const value = this.inline(false);
    this.endLine();
    return value;
  }

  /** The key that begins here, with `at` left on its colon; undefined if none does. */
  private key(): ScalarNode | undefined {
    const code = this.code();
    let key: ScalarNode;
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      key = this.quoted(code);
      if (this.code() !== COLON) return undefined;
      const next = this.code(1);
      if (next !== SPACE && next !== LINE_END && !Number.isNaN(next)) return undefined;
    } else {
      KEY.lastIndex = this.at;
      const [source] = KEY.exec(this.text) ?? [];
      if (source === undefined) return undefined;
      key = plain(source, this.at);
      this.at = key.end;
    }
    if (key.end - key.start > KEY_LENGTH) throw new Unusual();
    return key;
  }

  private inline(inFlow: boolean): YamlNode {
    switch (this.text[this.at]) {
      case '[':
        return this.flowList();
      case '{':
        return this.flowMap();
      case '"':
      case "'":
        return this.quoted(this.code());
      default:
        return this.plain(inFlow);
    }
  }

  private quoted(quote: number): ScalarNode {
    const { text, at: start } = this;
    let escaped = false;
    for (let at = start + 1; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === LINE_END) break;
      const doubled = quote === SINGLE_QUOTE && code === quote && text.charCodeAt(at + 1) === quote;
      if (doubled || (quote === DOUBLE_QUOTE && code === BACKSLASH)) {
        escaped = true;
        at += 1;
      } else if (code === quote) {
        this.at = at + 1;
        const source = text.slice(start, this.at);
        const value = escaped ? unescaped(source) : source.slice(1, -1);
        return { type: 'scalar', start, end: this.at, value, style: 'quoted', source: '' };
      }
    }
    throw new Unusual();
  }

  private plain(inFlow: boolean): ScalarNode {
    const { text, at: start } = this;
    const first = text[start] ?? '';
    if (NOT_FIRST.has(first) || this.atDash() || (first === '-' && inFlow)) throw new Unusual();
    let end = start;
    let at = start;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === SPACE) continue;
      if (code === LINE_END) break;
      if (code === COMMENT && text.charCodeAt(at - 1) === SPACE) break;
      if (code === COLON) {
        const next = text[at + 1];
        if (next === undefined || next === ' ' || next === '\n' || (inFlow && FLOW_SIGNS.has(next)))
          throw new Unusual();
      } else if (inFlow && FLOW_SIGNS.has(text[at] ?? '')) {
        break;
      }
      end = at + 1;
    }
    this.at = end;
    return plain(text.slice(start, end), start);
  }

  private flowList(): ListNode {
    this.deeper();
    const node: ListNode = { type: 'list', start: this.at, end: this.at, items: [] };
    this.at += 1;
    this.skipSpaces();
    if (this.text[this.at] === ']') {
      this.at += 1;
    } else {
      do node.items.push(this.inline(true));
      while (this.another(']'));
    }
    this.depth -= 1;
    node.end = this.at;
    return node;
  }

  private flowMap(): MapNode {
    this.deeper();
    const node: MapNode = { type: 'map', start: this.at, end: this.at, pairs: [] };
    this.at += 1;
    this.skipSpaces();
    if (this.text[this.at] === '}') {
      this.at += 1;
    } else {
      do {
        const key = this.key();
        if (key === undefined || this.code(1) !== SPACE) throw new Unusual();
        this.at += 1;
        this.skipSpaces();
        node.pairs.push({ key, value: this.inline(true) });
      } while (this.another('}'));
    }
    this.depth -= 1;
    node.end = this.at;
    return node;
  }

  /** Goes past a comma to the next item, or past the closing bracket. */
  private another(close: ']' | '}'): boolean {
    this.skipSpaces();
    const sign = this.text[this.at];
    this.at += 1;
    if (sign === close) return false;
    if (sign !== ',') throw new Unusual();
    this.skipSpaces();
    return true;
  }

  private deeper(): void {
    this.depth += 1;
    if (this.depth > MAX_DEPTH / 2) throw new Unusual();
  }
}

function unescaped(source: string): string {
  if (source.startsWith("'")) return source.slice(1, -1).replaceAll("''", "'");
  if (JSON_TEXT.test(source)) return JSON.parse(source);
  throw new Unusual();
}

function plain(source: string, start: number): ScalarNode {
  const word = WORDS.get(source);
  const value = word !== undefined ? word : NUMBER.test(source) || /^0[xo]/.test(source) ? numberOf(source) : source;
  return { type: 'scalar', start, end: start + source.length, value, style: 'plain', source };
}

function numberOf(source: string): number | string {
  if (/^0[xo]/.test(source) && !/^0(?:x[0-9a-fA-F]+|o[0-7]+)$/.test(source)) return source;
  return Number(source);
}

function empty(at: number): ScalarNode {
  return { type: 'scalar', start: at, end: at, value: null, style: 'plain', source: '' };
}
