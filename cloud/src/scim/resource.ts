import type { Json, JsonObject } from '@authz-service/core/json/json';
import type { Filter } from 'scim2-parse-filter';
import { type AttributePath, parsePath } from './attribute-path.js';
import { isObject, itemsOf, keyIn, own, valuesOf } from './attribute-values.js';
import { matches } from './match-filter.js';
import { ScimError } from './scim-error.js';

export interface PatchOperation {
  op: 'add' | 'replace' | 'remove';
  path?: string | undefined;
  value?: Json | undefined;
}

/** The resource after all operations; the given one stays as it is. Throws a `ScimError`, of which nothing remains. */
export function patched(resource: JsonObject, operations: readonly PatchOperation[]): JsonObject {
  const copy = structuredClone(resource);
  for (const operation of operations) apply(copy, operation);
  return copy;
}

/** A resource as a client sends it, with its attributes spelled and placed as here. */
export function placed(body: JsonObject): JsonObject {
  return patched({}, [{ op: 'add', value: body }]);
}

function apply(resource: JsonObject, { op, path, value }: PatchOperation): void {
  if (path !== undefined && path !== '') {
    if (op === 'remove') removeAt(resource, parsePath(path), value);
    else setAt(resource, parsePath(path), value ?? null, op);
    return;
  }
  if (op === 'remove') throw new ScimError('noTarget', 'A removal names no path: give the attribute to remove.');
  if (!isObject(value)) throw new ScimError('invalidValue', 'An operation without a path has no object as its value.');
  // Some clients write paths as keys: `name.familyName`, `urn:…:User:department`.
  for (const [key, inner] of Object.entries(value)) setAt(resource, parsePath(key), inner ?? null, op);
}

/** Sets an attribute; null takes it away. */
export function setAt(resource: JsonObject, path: AttributePath, value: Json, op: 'add' | 'replace'): void {
  if (value === null) removeAt(resource, path, undefined);
  else if (path.name === undefined) setExtension(resource, path.urn ?? '', value, op);
  else {
    const holder = path.urn === undefined ? resource : objectAt(resource, path.urn);
    const { name, filter, sub } = path;
    if (filter === undefined) setPlain(holder, name, sub, value, op);
    else setFiltered(holder, name, filter, sub, value);
  }
}

function setExtension(resource: JsonObject, urn: string, value: Json, op: 'add' | 'replace'): void {
  if (!isObject(value)) throw new ScimError('invalidValue', `The value of "${urn}" is no object.`);
  for (const [key, inner] of Object.entries(value)) setAt(resource, { ...parsePath(key), urn }, inner ?? null, op);
}

function setPlain(holder: JsonObject, name: string, sub: string | undefined, value: Json, op: 'add' | 'replace'): void {
  const present = own(holder, name);
  if (sub !== undefined) {
    if (Array.isArray(present)) for (const item of present) if (isObject(item)) put(item, sub, value);
    if (!Array.isArray(present)) put(objectAt(holder, name), sub, value);
  } else if (Array.isArray(present) && op === 'add') {
    const added = Array.isArray(value) ? value : [value];
    const texts = new Set(present.map((item) => JSON.stringify(item)));
    put(holder, name, [...present, ...added.filter((item) => !texts.has(JSON.stringify(item)))]);
  } else if (isObject(present) && isObject(value)) {
    for (const [key, inner] of Object.entries(value)) put(present, key, inner ?? null);
  } else put(holder, name, value);
}

function setFiltered(holder: JsonObject, name: string, filter: Filter, sub: string | undefined, value: Json): void {
  const items = itemsOf(own(holder, name));
  const found = items.filter((item) => isObject(item) && matches(filter, item)) as JsonObject[];
  if (found.length === 0) {
    const made = exampleOf(filter);
    if (made === undefined) throw new ScimError('noTarget', `No value of "${name}" fits the filter of the path.`);
    items.push(made);
    found.push(made);
  }
  for (const item of found) {
    if (sub !== undefined) put(item, sub, value);
    else if (isObject(value)) for (const [key, inner] of Object.entries(value)) put(item, key, inner ?? null);
    else throw new ScimError('invalidValue', `The value for "${name}" is no object.`);
  }
  put(holder, name, items);
}

function removeAt(resource: JsonObject, { urn, name, filter, sub }: AttributePath, value: Json | undefined): void {
  if (name === undefined) {
    delete resource[urn ?? ''];
    return;
  }
  const holder = urn === undefined ? resource : own(resource, urn);
  if (!isObject(holder)) return;
  const present = own(holder, name);
  if (present === undefined) return;
  if (filter !== undefined || (Array.isArray(present) && value !== undefined && value !== null)) {
    const gone = new Set(itemsOf(value).map((item) => JSON.stringify(item)));
    const fits = (item: Json) =>
      filter === undefined ? gone.has(JSON.stringify(item)) : isObject(item) && matches(filter, item);
    const items = itemsOf(present);
    if (sub === undefined)
      put(
        holder,
        name,
        items.filter((item) => !fits(item)),
      );
    else for (const item of items) if (isObject(item) && fits(item)) delete item[keyIn(item, sub)];
    if (itemsOf(own(holder, name)).length === 0) delete holder[keyIn(holder, name)];
  } else if (sub === undefined) delete holder[keyIn(holder, name)];
  else for (const item of itemsOf(present)) if (isObject(item)) delete item[keyIn(item, sub)];
}

/** The values at a path: all of a multi-valued attribute, one of another, none of what is absent. */
export function valuesAt(resource: JsonObject, path: AttributePath): Json[] {
  const { filter } = path;
  return valuesOf(resource, path, filter && ((item) => isObject(item) && matches(filter, item)));
}

function put(object: JsonObject, name: string, value: Json): void {
  Object.defineProperty(object, keyIn(object, name), { value, enumerable: true, configurable: true, writable: true });
}

function objectAt(holder: JsonObject, name: string): JsonObject {
  const present = own(holder, name);
  if (isObject(present)) return present;
  const made: JsonObject = {};
  put(holder, name, made);
  return made;
}

/** The value that a filter of equalities fits; undefined for any other filter. */
function exampleOf(filter: Filter): JsonObject | undefined {
  if (filter.op === 'eq' && 'compValue' in filter) return { [filter.attrPath]: filter.compValue };
  if (filter.op !== 'and' || !('filters' in filter)) return undefined;
  const parts = filter.filters.map(exampleOf);
  return parts.every((part) => part !== undefined) ? Object.assign({}, ...parts) : undefined;
}
