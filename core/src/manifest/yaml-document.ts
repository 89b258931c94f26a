import { inexactText } from '../json/exact-number.js';
import type { Json } from '../json/json.js';
import { quote } from '../records/describe.js';
import { describeNode, expectedList, expectedMapping } from './describe.js';
import type { SourcePlace } from './manifest.js';
import { offsetInText } from './scalar-offset.js';
import { type About, type Findings, placeText, type Source } from './source.js';
import { isEmpty, type ListNode, type MapNode, type ScalarNode, type YamlNode } from './yaml-node.js';

/** One key of a mapping and its value. */
export interface Entry {
  key: string;
  keyNode: YamlNode;
  value: YamlNode;
}

/** Stands for a value that was reported and cannot be used. */
export const UNUSABLE = Symbol('unusable');

/** Words that YAML 1.1 reads as booleans and YAML 1.2 as text. */
const OLD_BOOLEAN = /^(?:yes|no|on|off)$/i;

/** Numbers whose digits say no more and no less than the text does. */
const PLAIN_INTEGER = /^(?:0|-?[1-9][0-9]*)$/;

/** Half a character, as an escape may say it: no UTF-8 holds it. */
const HALF_CHARACTER = /\p{Surrogate}/u;

const MERGE_KEY = '<<';

/** Above this many keys a mapping's keys are compared through an index. */
const FEW = 8;

/**
 * A parsed document, read by its nodes: nothing is converted before it is asked for, and every fault knows its place.
 */
export class YamlDocument {
  constructor(
    readonly source: Source,
    readonly root: YamlNode,
    private readonly findings: Findings,
  ) {}

  fault(node: YamlNode, about: About, text: string): void {
    this.findings.fault(this.sourceOf(node), node.start, about, text + this.putAt(node));
  }

  /** A fault at a character of a scalar's value. */
  faultWithin(node: ScalarNode, offset: number, about: About, text: string): void {
    const source = this.sourceOf(node);
    this.findings.fault(source, offsetInText(source.text, node, offset), about, text + this.putAt(node));
  }

  warning(node: YamlNode, about: About, text: string): void {
    this.findings.warning(this.sourceOf(node), node.start, about, text + this.putAt(node));
  }

  /** The file that a node is written in: this one, unless an environment has put it here. */
  sourceOf(node: YamlNode): Source {
    return this.findings.borrowed.get(node)?.source ?? this.source;
  }

  /** The place of a node, or of a character of a scalar's value. */
  place(node: YamlNode, offset?: number): SourcePlace {
    const source = this.sourceOf(node);
    const isWithin = offset !== undefined && node.type === 'scalar';
    return source.place(isWithin ? offsetInText(source.text, node, offset) : node.start);
  }

  private putAt(node: YamlNode): string {
    const borrowed = this.findings.borrowed.get(node);
    return borrowed === undefined ? '' : ` (It counts at ${borrowed.at}.)`;
  }

  /** Notes that what stands here was not read, so that mentions of it are no faults of their own. */
  leaveUnread(node: YamlNode): void {
    this.findings.unread.push(this.sourceOf(node).text.slice(node.start, node.end));
  }

  /**
   * The keys and values of a mapping, in order, merge keys (`<<`) applied: a key of the mapping itself goes before one
   * merged in. Keys that are no text, and keys that stand twice, are reported and left out; without `about`, silently.
   */
  entries(map: MapNode, about?: () => About): Entry[] {
    const entries: Entry[] = [];
    const index = map.pairs.length > FEW ? new Map<string, Entry>() : undefined;
    let merged: Entry[] | undefined;
    for (const { key: keyNode, value } of map.pairs) {
      const key = this.keyText(keyNode, about);
      if (key === undefined) continue;
      if (key === MERGE_KEY && keyNode.type === 'scalar' && keyNode.style === 'plain') {
        merged = [...(merged ?? []), ...this.merge(value, about)];
        continue;
      }
      const first = find(entries, index, key);
      if (first === undefined) put(entries, index, { key, keyNode, value });
      else if (about !== undefined) this.fault(keyNode, about(), this.twiceText(key, first));
    }
    for (const entry of merged ?? []) if (find(entries, index, entry.key) === undefined) put(entries, index, entry);
    return entries;
  }

  /** The keys and values of a node that should be a mapping, as `entries` reads them; of nothing written, none. */
  mapping(node: YamlNode, about: About): Entry[] {
    if (isEmpty(node)) return [];
    if (node.type === 'map') return this.entries(node, () => about);
    this.fault(node, about, expectedMapping(node));
    return [];
  }

  /** The items of a node that should be a list; of nothing written, none. */
  items(node: YamlNode, about: About): readonly YamlNode[] {
    if (isEmpty(node)) return [];
    if (node.type === 'list') return node.items;
    this.fault(node, about, expectedList(node));
    return [];
  }

  private twiceText(key: string, first: Entry): string {
    return `the key "${key}" stands twice in one mapping, first at ${placeText(this.place(first.keyNode))}: keep one of them.`;
  }

  private merge(value: YamlNode, about?: () => About): Entry[] {
    return (value.type === 'list' ? value.items : [value]).flatMap((map) => {
      if (map.type === 'map') return this.entries(map, about);
      const text = `the merge key "<<" takes a mapping, and this ${describeNode(map)}: write "<<: *anchor".`;
      if (about !== undefined) this.fault(map, about(), text);
      return [];
    });
  }

  /** The text of a key. A whole number is taken by its digits, since a key is always text. */
  private keyText(node: YamlNode, about?: () => About): string | undefined {
    if (node.type === 'scalar') {
      const { value, source } = node;
      if (typeof value === 'string') {
        if (!isHalved(node)) return value;
        if (about !== undefined) this.fault(node, about(), `a key ${HALVED}`);
        return undefined;
      }
      if (typeof value === 'number' && (PLAIN_INTEGER.test(source) || String(value) === source)) return source;
      if (source !== '') {
        const text = `the key ${source} ${describeNode(node)}, not text: write "${source}" in quotes.`;
        if (about !== undefined) this.fault(node, about(), text);
        return undefined;
      }
    }
    if (about !== undefined)
      this.fault(node, about(), `a key ${describeNode(node)}: write a text, in quotes if need be.`);
    return undefined;
  }

  /**
   * The JSON value of a node, or `UNUSABLE` after reporting what in it has none. `inProperties` warns of words that
   * look like booleans, where no schema could tell.
   */
  json(node: YamlNode, about: () => About, inProperties = false): Json | typeof UNUSABLE {
    if (node.type === 'scalar') return this.scalar(node, about, inProperties);
    return node.type === 'list' ? this.list(node, about, inProperties) : this.object(node, about, inProperties);
  }

  private list(node: ListNode, about: () => About, inProperties: boolean): Json | typeof UNUSABLE {
    const list: Json[] = [];
    const texts = new Set<string>();
    let usable = true;
    for (const item of node.items) {
      const value = this.json(item, about, inProperties);
      if (value === UNUSABLE) usable = false;
      else list.push(value);
      if (inProperties || typeof value !== 'string') continue;
      // The lists of texts that records have are sets.
      if (texts.has(value))
        this.warning(item, about(), `${quote(value)} stands twice in one list: remove one of them.`);
      texts.add(value);
    }
    return usable ? list : UNUSABLE;
  }

  private object(map: MapNode, about: () => About, inProperties: boolean): Json | typeof UNUSABLE {
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

  private scalar(node: ScalarNode, about: () => About, inProperties: boolean): Json | typeof UNUSABLE {
    const { value, source, style } = node;
    if (node.mistagged) return UNUSABLE;
    if (typeof value === 'string') {
      if (isHalved(node)) {
        this.fault(node, about(), HALVED);
        return UNUSABLE;
      }
      if (inProperties && style === 'plain' && OLD_BOOLEAN.test(value)) {
        this.warning(node, about(), `${value} is a text in YAML 1.2: write true or false, or "${value}" in quotes.`);
      }
      return value;
    }
    if (typeof value !== 'number') return value;
    if (!Number.isFinite(value)) {
      this.fault(node, about(), `${source} is no number in JSON: write a finite one, or "${source}" in quotes.`);
    } else if (/^[-+]?0[0-9]/.test(source)) {
      const text = `${source} is the number ${value}, and other programs read another: write ${value}, or "${source}" in quotes.`;
      this.fault(node, about(), text);
    } else {
      const inexact = inexactText(source, value);
      if (inexact === undefined) return value + 0; // No negative zero.
      this.fault(node, about(), `${source} ${inexact}: write "${source}" in quotes.`);
    }
    return UNUSABLE;
  }
}

const HALVED = 'holds a lone surrogate (like "\\ud800"), which is no character: write the character itself.';

function isHalved({ value, style }: ScalarNode): boolean {
  return style === 'quoted' && typeof value === 'string' && HALF_CHARACTER.test(value);
}

type KeyIndex = Map<string, Entry> | undefined;

function find(entries: readonly Entry[], index: KeyIndex, key: string): Entry | undefined {
  if (index !== undefined) return index.get(key);
  for (const entry of entries) if (entry.key === key) return entry;
  return undefined;
}

function put(entries: Entry[], index: KeyIndex, entry: Entry): void {
  entries.push(entry);
  index?.set(entry.key, entry);
}
