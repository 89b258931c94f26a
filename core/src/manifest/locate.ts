import type { Json } from '../json/json.js';
import type { DeclaredRecord } from '../records/registry.js';
import { placeText } from './source.js';
import type { Entry, YamlDocument } from './yaml-document.js';
import type { YamlNode } from './yaml-node.js';

/** The place where a record is written. */
export interface Origin {
  document: YamlDocument;
  /** The key or the list item that makes the record. */
  node: YamlNode;
  /** The fields that are written apart, under the fields' own names. */
  parts: readonly Entry[];
  /** The fields as written, lists in their order, before the schema normalized them. */
  input: Record<string, Json>;
  /** The record, once its fields have been checked; of a faulty one, what is valid and has its key. */
  record?: DeclaredRecord;
  isFaulty?: boolean;
}

/** `FILE:LINE:COLUMN` of a record, for faults that name a second place. */
export function originText({ document, node }: Origin): string {
  return placeText(document.place(node));
}

/** The node of the value at a path into the fields as written, or of its key; the nearest one around if it has none. */
export function nodeAt(origin: Origin, path: readonly PropertyKey[], ofKey = false): YamlNode {
  const { document } = origin;
  let entries: readonly Entry[] | undefined = origin.parts;
  let { node } = origin;
  for (const [index, segment] of path.entries()) {
    const last = index === path.length - 1;
    if (entries !== undefined) {
      const entry: Entry | undefined = entries.find(({ key }) => key === String(segment));
      if (entry === undefined) return node;
      node = last && ofKey ? entry.keyNode : entry.value;
    } else if (node.type === 'list') {
      const item = node.items[Number(segment)];
      if (item === undefined) return node;
      node = item;
    } else {
      return node;
    }
    entries = node.type === 'map' ? document.entries(node) : undefined;
  }
  return node;
}

/** The value at a path. */
export function valueAt(value: Json | undefined, path: readonly PropertyKey[]): Json | undefined {
  let at = value;
  for (const segment of path) {
    if (at === undefined || at === null || typeof at !== 'object') return undefined;
    at = (at as { [key: string]: Json })[String(segment)];
  }
  return at;
}

/**
 * Turns a pointer into normalized fields into a path into the fields as written: sets were sorted, so an item is looked
 * up by what it says.
 */
export function writtenPath(written: Json, normalized: Json | undefined, pointer: string): string[] {
  const path = pointer.split('/').slice(1);
  const found: string[] = [];
  let from: Json | undefined = normalized;
  let to: Json | undefined = written;
  for (const part of path) {
    const segment = part.replaceAll('~1', '/').replaceAll('~0', '~');
    from = valueAt(from, [segment]);
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

/** Members that tell the items of a set of objects apart: what a policy covers, and the parents of a type. */
const IDENTIFYING = ['resource', 'below', 'property'];

function sameItem(left: Json | undefined, right: Json | undefined): boolean {
  if (typeof left !== 'object' || typeof right !== 'object') return left === right;
  const same = (key: string) => valueAt(left, [key]) === valueAt(right, [key]);
  return IDENTIFYING.some((key) => valueAt(left, [key]) !== undefined) && IDENTIFYING.every(same);
}
