import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from 'yaml';
import type { Json } from '../json.js';
import { describeNode } from './describe.js';
import { offsetInText } from './scalar-offset.js';
import { type About, Findings, type Source } from './source.js';

/** One key of a mapping and its value, aliases followed. */
export interface Entry {
  key: string;
  keyNode: Node;
  value: Node | null;
}

/** Stands for a value that was reported and cannot be used. */
export const UNUSABLE = Symbol('unusable');

/** Words that YAML 1.1 reads as booleans and YAML 1.2 as text. */
const OLD_BOOLEAN = /^(?:yes|no|on|off)$/i;

/** Numbers whose digits say no more and no less than the text does. */
const PLAIN_INTEGER = /^(?:0|-?[1-9][0-9]*)$/;

const MERGE_KEY = '<<';

/**
 * A parsed document, read by its nodes: nothing is converted before it is asked for, and every fault knows its place.
 */
export class YamlDocument {
  constructor(
    readonly source: Source,
    readonly root: Node | null,
    private readonly targets: ReadonlyMap<Alias, Node>,
    private readonly findings: Findings,
  ) {}

  fault(node: Node | null, about: About, text: string): void {
    this.findings.fault(this.source, startOf(node), about, text);
  }

  /** A fault at a character of a scalar's value. */
  faultWithin(node: Scalar, offset: number, about: About, text: string): void {
    this.findings.fault(this.source, offsetInText(this.source.text, node, offset), about, text);
  }

  /** Notes that what stands here was not read, so that mentions of it are no faults of their own. */
  leaveUnread(node: Node | null): void {
    const [start, , end] = node?.range ?? [0, 0, 0];
    this.findings.unread.push(this.source.text.slice(start, end));
  }

  warning(node: Node | null, about: About, text: string): void {
    this.findings.warning(this.source, startOf(node), about, text);
  }

  /** The node itself, or the one that an alias stands for; null for nothing written. */
  follow(node: unknown): Node | null {
    if (isAlias(node)) return this.targets.get(node) ?? null;
    return (node ?? null) as Node | null;
  }

  /**
   * The keys and values of a mapping, in order, merge keys (`<<`) applied: a key of the mapping itself goes before one
   * merged in. Keys that are no text, and keys that stand twice, are reported and left out.
   */
  entries(map: YAMLMap, about: () => About): Entry[] {
    const entries: Entry[] = [];
    const merged: Entry[] = [];
    const seen = new Map<string, Node>();
    for (const pair of map.items) {
      const keyNode = this.follow(pair.key);
      const key = this.keyText(keyNode, about);
      if (key === undefined || keyNode === null) continue;
      const value = this.follow(pair.value);
      if (key === MERGE_KEY && isPlain(keyNode)) {
        this.merge(value, about, merged);
        continue;
      }
      const first = seen.get(key);
      if (first === undefined) {
        seen.set(key, keyNode);
        entries.push({ key, keyNode, value });
      } else {
        const { file, line, column } = this.source.place(startOf(first));
        const text = `the key "${key}" stands twice in one mapping, first at ${file}:${line}:${column}: keep one of them.`;
        this.fault(keyNode, about(), text);
      }
    }
    for (const entry of merged) {
      if (seen.has(entry.key)) continue;
      seen.set(entry.key, entry.keyNode);
      entries.push(entry);
    }
    return entries;
  }

  /** The entries without a word on faults, for what has been read before. */
  quietEntries(map: YAMLMap): Entry[] {
    return new YamlDocument(this.source, this.root, this.targets, new Findings()).entries(map, () => ({ label: '' }));
  }

  private merge(value: Node | null, about: () => About, merged: Entry[]): void {
    const maps = isSeq(value) ? value.items.map((item) => this.follow(item)) : [value];
    for (const map of maps) {
      if (isMap(map)) merged.push(...this.entries(map, about));
      else
        this.fault(
          map,
          about(),
          `the merge key "<<" takes a mapping, and this ${describeNode(map)}: write "<<: *anchor".`,
        );
    }
  }

  /** The text of a key. A whole number is taken by its digits, since a key is always text. */
  private keyText(node: Node | null, about: () => About): string | undefined {
    if (isScalar(node)) {
      const { value, source } = node;
      if (typeof value === 'string') return value;
      if (typeof value === 'number' && (PLAIN_INTEGER.test(source ?? '') || String(value) === source)) return source;
      if (source !== undefined && source !== '') {
        this.fault(node, about(), `the key ${source} ${describeNode(node)}, not text: write "${source}" in quotes.`);
        return undefined;
      }
    }
    this.fault(node, about(), `a key ${describeNode(node)}: write a text, in quotes if need be.`);
    return undefined;
  }

  /**
   * The JSON value of a node, or `UNUSABLE` after reporting what in it has none. `inProperties` warns of words that
   * look like booleans, where no schema could tell.
   */
  json(node: Node | null, about: () => About, inProperties = false): Json | typeof UNUSABLE {
    if (node === null) return null;
    if (isScalar(node)) return this.scalar(node, about, inProperties);
    if (isSeq(node)) return this.list(node.items, about, inProperties);
    if (isMap(node)) return this.object(node, about, inProperties);
    return UNUSABLE;
  }

  private list(items: readonly unknown[], about: () => About, inProperties: boolean): Json | typeof UNUSABLE {
    const list: Json[] = [];
    let usable = true;
    for (const item of items) {
      const value = this.json(this.follow(item), about, inProperties);
      if (value === UNUSABLE) usable = false;
      else list.push(value);
    }
    return usable ? list : UNUSABLE;
  }

  private object(map: YAMLMap, about: () => About, inProperties: boolean): Json | typeof UNUSABLE {
    const object: { [key: string]: Json } = {};
    let usable = true;
    for (const entry of this.entries(map, about)) {
      if (entry.key === '__proto__') {
        this.fault(entry.keyNode, about(), 'the key "__proto__" cannot be kept: choose another name.');
        usable = false;
        continue;
      }
      const value = this.json(entry.value, about, inProperties);
      if (value === UNUSABLE) usable = false;
      else object[entry.key] = value;
    }
    return usable ? object : UNUSABLE;
  }

  private scalar(node: Scalar, about: () => About, inProperties: boolean): Json | typeof UNUSABLE {
    const { value, source = '' } = node;
    if (typeof value === 'string') {
      if (inProperties && isPlain(node) && OLD_BOOLEAN.test(value)) {
        this.warning(node, about(), `${value} is a text in YAML 1.2: write true or false, or "${value}" in quotes.`);
      }
      return value;
    }
    if (typeof value !== 'number') return value as Json;
    if (!Number.isFinite(value)) {
      this.fault(node, about(), `${source} is no number in JSON: write a finite one, or "${source}" in quotes.`);
    } else if (/^[-+]?0[0-9]/.test(source)) {
      const text = `${source} is the number ${value}, and other programs read another: write ${value}, or "${source}" in quotes.`;
      this.fault(node, about(), text);
    } else if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      this.fault(node, about(), `${source} is too large to be kept exactly: write "${source}" in quotes.`);
    } else {
      return value + 0; // No negative zero.
    }
    return UNUSABLE;
  }
}

export function startOf(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}

function isPlain(node: Node): boolean {
  return isScalar(node) && node.type === 'PLAIN';
}
