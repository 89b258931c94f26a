import { isMap, isScalar, isSeq, type Node } from 'yaml';
import type { z } from 'zod';
import type { Json } from '../json.js';
import type { Address } from '../records/address.js';
import type { Kind } from '../records/kinds.js';
import { addressOf, type DeclaredRecord, definitionOf } from '../records/registry.js';
import { jsonPointer } from '../state/json-pointer.js';
import { nearest } from '../state/nearest.js';
import { describeNode, quote } from './describe.js';
import { issueText } from './issue-text.js';
import type { Place } from './manifest.js';
import { keysAt } from './schema-shape.js';
import type { About } from './source.js';
import { type Entry, startOf, type YamlDocument } from './yaml-document.js';

/** Where a record is written. */
export interface Origin {
  document: YamlDocument;
  /** The key or the list item that makes the record. */
  node: Node | null;
  /** The fields that are written apart, under the fields' own names. */
  parts: readonly Entry[];
  /** The fields as written, lists in their order, before the schema normalized them. */
  input: Record<string, Json>;
}

/** All records read so far, each with its place. */
export class Declarations {
  readonly records = new Map<Address, DeclaredRecord>();
  /** What is sound of the faulty ones, so that the rest of it can be judged all the same. */
  readonly partial = new Map<Address, DeclaredRecord>();
  /** Also of records that are faulty: they are declared, and a mention of them is no further fault. */
  readonly origins = new Map<Address, Origin>();

  /**
   * Checks the fields against their schema and keeps the record. `label` names it in faults while its address is not
   * known; `faulty` are the fields already reported.
   */
  declare(kind: Kind, origin: Origin, label: string, faulty: ReadonlySet<string>): void {
    const about = aboutRecord(kind, origin.input, label);
    const { address } = about;
    const first = address === undefined ? undefined : this.origins.get(address);
    if (first !== undefined) {
      const { file, line, column } = placeOfNode(first, first.node);
      const text = `is declared twice, first at ${file}:${line}:${column}: keep one of them.`;
      origin.document.fault(origin.node, about, text);
      return;
    }
    if (address !== undefined) this.origins.set(address, origin);
    const { schema } = definitionOf(kind);
    const result = schema.safeParse(origin.input);
    if (!result.success) {
      for (const issue of result.error.issues) {
        if (!faulty.has(String(issue.path[0] ?? ''))) this.reportIssue(kind, origin, about, issue);
      }
    } else if (faulty.size === 0 && address !== undefined) {
      this.records.set(address, { kind, address, fields: result.data } as unknown as DeclaredRecord);
      return;
    }
    if (address === undefined) return;
    const fields: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(origin.input)) {
      const field = schema.shape[name]?.safeParse(value);
      if (field?.success && !faulty.has(name)) fields[name] = field.data;
    }
    this.partial.set(address, { kind, address, fields } as unknown as DeclaredRecord);
  }

  private reportIssue(kind: Kind, origin: Origin, about: About, issue: z.core.$ZodIssue): void {
    const { document } = origin;
    if (issue.code === 'unrecognized_keys') {
      const keys = keysAt(definitionOf(kind).schema, issue.path) ?? [];
      for (const key of issue.keys) {
        const path = [...issue.path, key];
        const node = nodeAt(origin, path, true);
        document.fault(node, inField(about, issue.path), unknownKeyText(key, keys));
      }
      return;
    }
    const node = nodeAt(origin, issue.path, issue.code === 'invalid_key');
    const source = isScalar(node) && node.type === 'PLAIN' ? node.source : undefined;
    const path = issue.code === 'invalid_key' ? issue.path.slice(0, -1) : issue.path;
    document.fault(node, inField(about, path), issueText(issue, valueAt(origin.input, issue.path), source));
  }

  /** Where a record is declared, or the field of it that the pointer names. */
  placeOf(address: Address, pointer = ''): Place | undefined {
    const origin = this.origins.get(address);
    return origin && placeOfNode(origin, this.nodeOf(address, pointer));
  }

  /** The node that a pointer into the normalized fields of a declared record names. */
  nodeOf(address: Address, pointer: string): Node | null {
    const origin = this.origins.get(address);
    if (origin === undefined) return null;
    const path = pointerPath(pointer);
    return nodeAt(
      origin,
      writtenPath(
        origin.input,
        (this.records.get(address) ?? this.partial.get(address))?.fields as Json | undefined,
        path,
      ),
    );
  }
}

export function placeOfNode(origin: Origin, node: Node | null): Place {
  return origin.document.source.place(startOf(node ?? origin.node));
}

/** The words before a fault's colon, from as much of the record's address as is known. */
export function aboutRecord(kind: Kind, input: Record<string, Json>, label: string): About {
  const { shape } = definitionOf(kind).schema;
  const known = Object.keys(shape).every((name) => {
    const value = input[name];
    return typeof value === 'string' || value === undefined ? true : !/^(?:name|type|id|role|group|policy)$/.test(name);
  });
  if (!known) return { label };
  const address = addressOf(kind, input);
  return { label: address, address };
}

/** The same record's field. */
export function inField(about: About, path: readonly PropertyKey[]): About {
  if (path.length === 0) return about;
  const field = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  const { label, address } = about;
  const pointer = jsonPointer(...path);
  return { label: `${label}: ${field.slice(1)}`, ...(address !== undefined && { address, pointer }) };
}

export function unknownKeyText(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  const remedy = near === undefined ? `known here: ${known.join(', ')}.` : `did you mean ${quote(near)}?`;
  return `the key ${quote(key)} is not known: ${remedy}`;
}

export function expectedMapping(node: Node | null): string {
  return `${describeNode(node)}, a mapping is expected.`;
}

function pointerPath(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The node of the value at a path into the fields as written, or of its key; the nearest one around if it has none. */
export function nodeAt(origin: Origin, path: readonly PropertyKey[], ofKey = false): Node | null {
  const { document } = origin;
  let entries: readonly Entry[] | undefined = origin.parts;
  let node = origin.node;
  for (const [index, segment] of path.entries()) {
    const last = index === path.length - 1;
    if (entries !== undefined) {
      const entry: Entry | undefined = entries.find(({ key }) => key === String(segment));
      if (entry === undefined) return node;
      node = last && ofKey ? entry.keyNode : (entry.value ?? entry.keyNode);
    } else if (isSeq(node)) {
      const item = document.follow(node.items[Number(segment)]);
      if (item === null) return node;
      node = item;
    } else {
      return node;
    }
    entries = isMap(node) ? document.quietEntries(node) : undefined;
  }
  return node;
}

function valueAt(value: Json | undefined, path: readonly PropertyKey[]): Json | undefined {
  let at = value;
  for (const segment of path) {
    if (at === null || typeof at !== 'object') return undefined;
    at = (at as { [key: string]: Json })[String(segment)];
  }
  return at;
}

/**
 * Turns a path into normalized fields into one into the fields as written: sets were sorted, so the item is looked up
 * by what it says.
 */
function writtenPath(written: Json, normalized: Json | undefined, path: readonly string[]): string[] {
  const found: string[] = [];
  let from: Json | undefined = normalized;
  let to: Json | undefined = written;
  for (const segment of path) {
    from = from === undefined ? undefined : valueAt(from, [segment]);
    let here = segment;
    if (Array.isArray(to) && from !== undefined) {
      const index = to.findIndex((item) => sameItem(item, from));
      if (index >= 0) here = String(index);
    }
    to = valueAt(to, [here]);
    found.push(here);
  }
  return found;
}

function sameItem(left: Json | undefined, right: Json | undefined): boolean {
  if (typeof left !== 'object' || typeof right !== 'object') return left === right;
  const resource = valueAt(left, ['resource']);
  return resource !== undefined && resource === valueAt(right, ['resource']);
}
