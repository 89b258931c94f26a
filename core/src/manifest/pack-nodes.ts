import type { ScalarNode, YamlNode } from './yaml-node.js';

/*
 * Nodes as bytes, which are cheap to send between threads and to keep in files: objects are not. Each node is a byte with
 * its type and flags, then numbers of seven bits a byte: where it starts, counted from the start of the node before, its
 * length, and how many items or pairs follow. What a scalar says is mostly a piece of the file's text and not repeated.
 */

/** Raised with every change of what is found for a text, so that nobody takes what was found before for it. */
export const PARSING = 1;

/** Roots of documents as plain data, to be read with the text that they were parsed from. */
export interface PackedNodes {
  bytes: Uint8Array;
  /** The values of scalars that are no piece of the text. */
  texts: string[];
}

/** The types of nodes: the two lowest bits of a byte. A node that stands twice is told by its number among those that may. */
const SCALAR = 0;
const LIST = 1;
const MAP = 2;
const AGAIN = 3;
/** On a list, map or scalar: an alias may name it. */
const NUMBERED = 4;

/** The values of scalars: the bits above. */
const SAYS = 3;
const SAYS_NULL = 0;
const SAYS_TRUE = 1;
const SAYS_FALSE = 2;
/** The number that its source is in JavaScript. */
const SAYS_NUMBER = 3;
/** Its own text, and the text inside its quotes. */
const SAYS_PLAIN = 4;
const SAYS_QUOTED = 5;
/** The next of `texts`. */
const SAYS_OTHER_TEXT = 6;
const SAYS_OTHER_NUMBER = 7;
/** Its style stands in the two bits above. */
const STYLE = 6;
const STYLES = ['plain', 'quoted', 'block', 'mistagged'] as const;
const MISTAGGED = 3;

/** `shared` are the nodes that stand in more than one place. */
export function packNodes(roots: readonly YamlNode[], shared: ReadonlySet<YamlNode>, text: string): PackedNodes {
  const packer = new Packer(shared, text);
  packer.number(roots.length);
  for (const root of roots) packer.node(root);
  return { bytes: packer.taken(), texts: packer.texts };
}

/** The roots that were packed: `text` is the text that they were parsed from. */
export function unpackNodes(packed: PackedNodes, text: string): YamlNode[] {
  const unpacker = new Unpacker(packed, text);
  return Array.from({ length: unpacker.number() }, () => unpacker.node());
}

class Packer {
  readonly texts: string[] = [];
  private bytes = new Uint8Array(1024);
  private length = 0;
  private last = 0;
  private readonly numbers = new Map<YamlNode, number>();

  constructor(
    private readonly shared: ReadonlySet<YamlNode>,
    private readonly text: string,
  ) {}

  taken(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  node(node: YamlNode): void {
    const known = this.numbers.get(node);
    if (known !== undefined) {
      this.byte(AGAIN);
      this.number(known);
      return;
    }
    const isShared = this.shared.has(node);
    if (isShared) this.numbers.set(node, this.numbers.size);
    const numbered = isShared ? NUMBERED : 0;
    if (node.type === 'scalar') this.scalar(node, numbered);
    else if (node.type === 'list') {
      this.span(LIST | numbered, node);
      this.number(node.items.length);
      for (const item of node.items) this.node(item);
    } else {
      this.span(MAP | numbered, node);
      this.number(node.pairs.length);
      for (const { key, value } of node.pairs) {
        this.node(key);
        this.node(value);
      }
    }
  }

  private scalar(node: ScalarNode, numbered: number): void {
    const { value, style, start, end, mistagged } = node;
    const says = this.says(node, this.text.slice(start, end));
    const styled = mistagged ? MISTAGGED : STYLES.indexOf(style);
    this.span(SCALAR | numbered | (says << SAYS) | (styled << STYLE), node);
    if (says === SAYS_OTHER_TEXT) this.texts.push(String(value));
    else if (says === SAYS_OTHER_NUMBER) this.texts.push(Object.is(value, -0) ? '-0' : String(value));
  }

  private says({ value, style }: ScalarNode, written: string): number {
    if (value === null) return SAYS_NULL;
    if (typeof value === 'boolean') return value ? SAYS_TRUE : SAYS_FALSE;
    if (typeof value === 'number') return Object.is(Number(written), value) ? SAYS_NUMBER : SAYS_OTHER_NUMBER;
    if (value === written) return SAYS_PLAIN;
    return style === 'quoted' && value === written.slice(1, -1) ? SAYS_QUOTED : SAYS_OTHER_TEXT;
  }

  private span(kind: number, { start, end }: YamlNode): void {
    this.byte(kind);
    const step = start - this.last;
    this.last = start;
    this.number(step < 0 ? -step * 2 - 1 : step * 2);
    this.number(end - start);
  }

  number(value: number): void {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.byte((rest % 128) + 128);
    this.byte(rest);
  }

  private byte(value: number): void {
    if (this.length === this.bytes.length) {
      const grown = new Uint8Array(this.length * 2);
      grown.set(this.bytes);
      this.bytes = grown;
    }
    this.bytes[this.length++] = value;
  }
}

class Unpacker {
  private readonly bytes: Uint8Array;
  private readonly texts: readonly string[];
  private at = 0;
  private textsTaken = 0;
  private last = 0;
  private readonly numbered: YamlNode[] = [];

  constructor(
    packed: PackedNodes,
    private readonly text: string,
  ) {
    this.bytes = packed.bytes;
    this.texts = packed.texts;
  }

  node(): YamlNode {
    const kind = this.byte();
    const type = kind & 3;
    if (type === AGAIN) return this.numbered[this.number()] as YamlNode;
    const step = this.number();
    const start = this.last + (step % 2 === 0 ? step / 2 : -(step + 1) / 2);
    this.last = start;
    const end = start + this.number();
    if (type === SCALAR) return this.keep(kind, this.scalar(kind, start, end));
    const count = this.number();
    if (type === LIST) {
      const items: YamlNode[] = [];
      const list = this.keep(kind, { type: 'list', start, end, items });
      for (let taken = 0; taken < count; taken++) items.push(this.node());
      return list;
    }
    const pairs: { key: YamlNode; value: YamlNode }[] = [];
    const map = this.keep(kind, { type: 'map', start, end, pairs });
    for (let taken = 0; taken < count; taken++) pairs.push({ key: this.node(), value: this.node() });
    return map;
  }

  private keep(kind: number, node: YamlNode): YamlNode {
    if ((kind & NUMBERED) !== 0) this.numbered.push(node);
    return node;
  }

  private scalar(kind: number, start: number, end: number): ScalarNode {
    const style = kind >> STYLE;
    if (style === MISTAGGED) {
      return { type: 'scalar', start, end, value: null, style: 'plain', source: '', mistagged: true };
    }
    const written = style === 0 || style === 1 ? this.text.slice(start, end) : '';
    const value = this.value((kind >> SAYS) & 7, written);
    // A plain text over several lines is its own source, in one line.
    const source = style !== 0 ? '' : typeof value === 'string' ? value : written;
    return { type: 'scalar', start, end, value, style: STYLES[style] as ScalarNode['style'], source };
  }

  private value(says: number, written: string): ScalarNode['value'] {
    if (says === SAYS_PLAIN) return written;
    if (says === SAYS_QUOTED) return written.slice(1, -1);
    if (says === SAYS_NUMBER) return Number(written);
    if (says === SAYS_OTHER_TEXT) return this.texts[this.textsTaken++] ?? '';
    if (says === SAYS_OTHER_NUMBER) return Number(this.texts[this.textsTaken++]);
    return says === SAYS_NULL ? null : says === SAYS_TRUE;
  }

  number(): number {
    let value = this.byte();
    if (value < 128) return value;
    value -= 128;
    for (let scale = 128; ; scale *= 128) {
      const byte = this.byte();
      if (byte < 128) return value + byte * scale;
      value += (byte - 128) * scale;
    }
  }

  private byte(): number {
    return this.bytes[this.at++] as number;
  }
}
