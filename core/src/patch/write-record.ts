import { type Document, isMap, isScalar, isSeq, type Node, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Json, JsonObject } from '../json/json.js';
import { keyOf, writtenRecord } from '../manifest/write.js';
import type { LinkRecord } from '../manifest/write-links.js';
import type { Kind } from '../records/kinds.js';
import type { DeclaredRecord } from '../records/registry.js';
import { equalJson } from '../state/equal-json.js';

/** Writes a record that no file declares, and that is no link, beside those of its kind. */
export function addRecord(document: Document, record: DeclaredRecord, fromRequests: boolean): void {
  const { collection } = writtenRecord(record);
  const body = bodyIn(record, fromRequests);
  let key = keyOf(record);
  // Two resources of an application may have one name.
  if (record.kind === 'resource' && (key.includes('/') || document.hasIn([...collection, key]))) {
    key = keyOf(record, true);
    delete body.type;
  }
  // What only names the collection has an empty value, in which nothing can be put.
  for (let depth = collection.length; depth > 0; depth--) {
    const path = collection.slice(0, depth);
    const held = document.getIn(path, true);
    if (isScalar(held) && held.value === null) document.setIn(path, emptyMap(document, held));
  }
  document.setIn([...collection, key], document.createNode(body));
}

/** Makes the mapping of a record say other fields; what stays is left as it is written. */
export function changeRecord(
  document: Document,
  map: YAMLMap,
  { before, after, fromRequests }: { before: DeclaredRecord; after: DeclaredRecord; fromRequests: boolean },
): void {
  changeMap(document, map, bodyIn(before, fromRequests), bodyIn(after, fromRequests));
}

const TAKING: ReadonlySet<Kind> = new Set(['resource_type', 'subject_type', 'role']);

/** The value of a record. In a tree whose default takes nothing from requests, it says so where it takes all. */
function bodyIn(record: DeclaredRecord, fromRequests: boolean): JsonObject {
  const { body } = writtenRecord(record);
  if (!fromRequests && TAKING.has(record.kind) && body.from_requests === undefined) body.from_requests = true;
  return body;
}

/** An empty mapping in the place of another value, whose comment stays. */
export function emptyMap(document: Document, instead: unknown): YAMLMap {
  const map = document.createNode({}) as YAMLMap;
  const comments = isScalar(instead) ? [instead.commentBefore, instead.comment] : [];
  const kept = comments.filter((text) => text !== undefined && text !== null);
  if (kept.length > 0) map.commentBefore = kept.join('\n');
  return map;
}

/** Makes the mapping of a link say other fields, of those beside its ends. */
export function changeLink(document: Document, map: YAMLMap, before: LinkRecord, after: LinkRecord): void {
  changeMap(document, map, fieldsOf(before), fieldsOf(after));
}

/** Appends to a list at the top of a file. */
export function append(document: Document, list: string, item: Json): void {
  const present = document.get(list);
  if (isSeq(present)) present.add(document.createNode(item));
  else document.set(list, document.createNode([item]));
}

function fieldsOf({ fields }: DeclaredRecord): JsonObject {
  return fields as unknown as JsonObject;
}

function changeMap(document: Document, map: YAMLMap, was: JsonObject, is: JsonObject): void {
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const [before, after] = [was[key], is[key]];
    if (before === after || equalJson(before, after)) continue;
    const held = map.get(key, true) as Node | undefined;
    if (after === undefined) map.delete(key);
    else if (isMap(held) && isObject(before) && isObject(after)) changeMap(document, held, before, after);
    else if (isSeq(held) && Array.isArray(before) && Array.isArray(after) && saysJust(document, held, before))
      changeList(document, held, before, after);
    else if (isScalar(held) && (after === null || typeof after !== 'object')) held.value = after;
    else map.set(key, document.createNode(after));
  }
}

/** Whether a list is written item by item as the record has it: then its items can be told apart. */
function saysJust(document: Document, list: YAMLSeq, items: readonly Json[]): boolean {
  return (
    list.items.length === items.length &&
    list.items.every((item) => items.some((one) => equalJson(one, plain(document, item))))
  );
}

function changeList(document: Document, list: YAMLSeq, was: readonly Json[], is: readonly Json[]): void {
  list.items = list.items.filter((item) => is.some((one) => equalJson(one, plain(document, item))));
  for (const item of is) if (!was.some((one) => equalJson(one, item))) list.add(document.createNode(item));
}

function plain(document: Document, item: unknown): Json {
  return (item as Node).toJS(document) as Json;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
