import * as z from 'zod';
import type { Json } from '../json/json.js';
import type { Address } from '../records/address.js';
import { YAML_WORDS } from '../records/describe.js';
import { issueText, unknownKeyText } from '../records/issue-text.js';
import type { Kind } from '../records/kinds.js';
import { type DeclaredRecord, definitionOf } from '../records/registry.js';
import { keysAt, unwrap } from '../records/schema-shape.js';
import { inField } from './about.js';
import { nodeAt, type Origin, originText, valueAt, writtenPath } from './locate.js';
import type { EnvironmentPlace, Lines, SourcePlace } from './manifest.js';
import { fieldsOf } from './notation.js';
import type { About } from './source.js';
import type { YamlDocument } from './yaml-document.js';
import type { YamlNode } from './yaml-node.js';

/** The fields of a record that were reported while they were read. */
export class FieldFaults {
  /** Fields that have no usable value; what the schema says of them would be an echo. */
  readonly unread: string[] = [];
  /** Fields that hold something wrong; the schema may find more wrong in them. */
  readonly wrong: string[] = [];
}

/** Returns the sound items of a list that is faulty as a whole, or in some of its items. */
function soundItems(schema: z.core.$ZodType, value: Json): unknown[] | undefined {
  const list = unwrap(schema);
  if (!(list instanceof z.ZodArray) || !Array.isArray(value)) return undefined;
  const { element } = list as z.ZodArray<z.ZodType>;
  const items = value.map((item) => element.safeParse(item)).flatMap((item) => (item.success ? [item.data] : []));
  return items.length > 0 ? items : undefined;
}

/** All records read so far, each with its place. */
export class Declarations {
  /** Also of records that are faulty: they are declared, and a mention of them is no further fault. */
  readonly origins = new Map<Address, Origin>();
  /** Records and links that the environment removes, with the places that say so. */
  readonly removed = new Map<Address, SourcePlace>();
  /** The file of the environment that the tree is read in. */
  environmentFile: string | undefined;

  /** `onRecord` hears of each record with the number of those before it. */
  constructor(private readonly onRecord: (count: number) => void = () => {}) {}

  /** The records without a fault of their own, in the order of reading. */
  *sound(): Generator<DeclaredRecord> {
    for (const { record, isFaulty } of this.origins.values()) if (record !== undefined && !isFaulty) yield record;
  }

  /** All records as far as they are valid, so that the rest can still be validated: those without a fault first. */
  *valid(): Generator<DeclaredRecord> {
    yield* this.sound();
    for (const { record, isFaulty } of this.origins.values()) if (record !== undefined && isFaulty) yield record;
  }

  /** Checks the fields against their schema and keeps the record. */
  declare(kind: Kind, origin: Origin, about: About, faults?: FieldFaults): void {
    const { address } = about;
    if (address === undefined) {
      const result = definitionOf(kind).schema.safeParse(origin.input);
      this.reportIssues(kind, origin, about, result.error?.issues ?? []);
      return;
    }
    const first = this.origins.get(address);
    if (first !== undefined) {
      const text = `is declared twice, first at ${originText(first)}: keep one of them.`;
      origin.document.fault(origin.node, about, text);
      return;
    }
    this.onRecord(this.origins.size);
    this.origins.set(address, origin);
    this.check(kind, origin, about, faults);
  }

  /** Checks the fields of a declared record that were not all known when it was declared. */
  declareAgain(kind: Kind, origin: Origin, about: About): void {
    if (origin.isFaulty !== true && origin.record !== undefined) this.check(kind, origin, about);
  }

  private check(kind: Kind, origin: Origin, about: About, faults?: FieldFaults): void {
    const { address = '' } = origin.record ?? about;
    const result = definitionOf(kind).schema.safeParse(origin.input);
    if (result.success && faults === undefined) {
      origin.record = { kind, address, fields: result.data } as unknown as DeclaredRecord;
      return;
    }
    origin.isFaulty = true;
    const issues = result.error?.issues.filter(({ path }) => !faults?.unread.includes(String(path[0] ?? '')));
    this.reportIssues(kind, origin, about, issues ?? []);
    this.keepSound(kind, origin, address, faults?.wrong ?? []);
  }

  private keepSound(kind: Kind, origin: Origin, address: Address, wrong: readonly string[]): void {
    const { shape } = definitionOf(kind).schema;
    const fields: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(origin.input)) {
      const schema = shape[name];
      if (schema === undefined || wrong.includes(name)) continue;
      const field = schema.safeParse(value);
      const sound = field.success ? field.data : soundItems(schema, value);
      if (sound !== undefined) fields[name] = sound;
    }
    const keyed = fieldsOf(kind).keys.every(({ name, optional }) => name in fields || optional);
    if (keyed) origin.record = { kind, address, fields } as unknown as DeclaredRecord;
  }

  /** Reports the first issue of each value: later ones mostly follow from it. */
  private reportIssues(kind: Kind, origin: Origin, about: About, issues: readonly z.core.$ZodIssue[]): void {
    const seen = new Set<string>();
    for (const issue of issues) {
      const place = JSON.stringify([issue.path, issue.code === 'unrecognized_keys']);
      if (!seen.has(place)) this.reportIssue(kind, origin, about, issue);
      seen.add(place);
    }
  }

  private reportIssue(kind: Kind, origin: Origin, about: About, issue: z.core.$ZodIssue): void {
    const { document } = origin;
    if (issue.code === 'unrecognized_keys') {
      const keys = keysAt(definitionOf(kind).schema, issue.path) ?? [];
      for (const key of issue.keys) {
        const node = nodeAt(origin, [...issue.path, key], true);
        document.fault(node, inField(about, issue.path), unknownKeyText(key, keys));
      }
      return;
    }
    const ofKey = issue.code === 'invalid_key';
    const node = nodeAt(origin, issue.path, ofKey);
    const source = node.type === 'scalar' && node.style === 'plain' ? node.source : undefined;
    const field = inField(about, ofKey ? issue.path.slice(0, -1) : issue.path);
    document.fault(node, field, issueText(issue, valueAt(origin.input, issue.path), YAML_WORDS, source));
  }

  /** Returns where a record is declared, or the field of it that the pointer names, or a character of that field's text. */
  placeOf(address: Address, pointer = '', offset?: number): SourcePlace | undefined {
    const origin = this.origins.get(address);
    if (origin === undefined) return undefined;
    const node = this.nodeOf(origin, pointer);
    return origin.document.place(node, offset);
  }

  environmentPlaceOf(address: Address, field?: string): EnvironmentPlace | undefined {
    const origin = this.origins.get(address);
    if (origin === undefined) return field === undefined ? this.removed.get(address) : undefined;
    const { document, node, parts, record } = origin;
    const key = field !== undefined && record !== undefined ? fieldsOf(record.kind).renamed.get(field) : undefined;
    const part = parts.find((one) => one.key === (key ?? field));
    const nodes = field === undefined ? [node] : part === undefined ? [] : [part.keyNode, part.value];
    const places = nodes.flatMap((one) => placesIn(document, one));
    return places.find(({ file }) => file === this.environmentFile);
  }

  /** The first and the last line of a record. */
  linesOf(address: Address): Lines | undefined {
    const origin = this.origins.get(address);
    if (origin === undefined) return undefined;
    const { document, node, parts } = origin;
    const source = document.sourceOf(node);
    const own = parts.filter(({ value }) => document.sourceOf(value) === source);
    const end = own.reduce((last, { value }) => Math.max(last, value.end), node.end);
    const { file, line } = source.place(node.start);
    const text = source.text.slice(node.start, end);
    return { file, first: line, last: source.place(node.start + text.trimEnd().length).line };
  }

  /** The node that a pointer into the normalized fields of a declared record names. */
  nodeOf(origin: Origin, pointer: string): YamlNode {
    return nodeAt(origin, writtenPath(origin.input, origin.record?.fields as Json | undefined, pointer));
  }
}

/** The places of a node, of all within it, and of the constants in conditions. */
function placesIn(document: YamlDocument, node: YamlNode): EnvironmentPlace[] {
  const inner =
    node.type === 'list'
      ? node.items.flatMap((item) => placesIn(document, item))
      : node.type === 'map'
        ? node.pairs.flatMap(({ key, value }) => [...placesIn(document, key), ...placesIn(document, value)])
        : (node.folded?.constants.map((place) => ({ ...place, written: node.folded?.from ?? '' })) ?? []);
  return [document.place(node), ...inner];
}
