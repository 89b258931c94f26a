import type { Json, JsonObject } from '@authz-service/core/json/json';
import type { Filter } from 'scim2-parse-filter';
import { parsePath } from './attribute-path.js';
import { isObject, own, valuesOf } from './attribute-values.js';

/** Attributes whose texts are compared with upper and lower case (RFC 7643 section 4.1 and 7). */
const EXACT = new Set(['id', 'externalId', 'value', '$ref']);

type Compare = Extract<Filter, { compValue: unknown }>;

/** Whether a resource, or an item of a multi-valued attribute, fits a filter (RFC 7644 section 3.4.2.2). */
export function matches(filter: Filter, resource: JsonObject): boolean {
  switch (filter.op) {
    case 'and':
      return (filter as { filters: Filter[] }).filters.every((each) => matches(each, resource));
    case 'or':
      return (filter as { filters: Filter[] }).filters.some((each) => matches(each, resource));
    case 'not':
      return !matches((filter as { filter: Filter }).filter, resource);
    case '[]': {
      const { attrPath, valFilter } = filter as { attrPath: string; valFilter: Filter };
      const path = parsePath(attrPath);
      const holder = path.urn === undefined ? resource : own(resource, path.urn);
      const items = isObject(holder) && path.name !== undefined ? own(holder, path.name) : undefined;
      return [items ?? []].flat().some((item) => isObject(item as Json) && matches(valFilter, item as JsonObject));
    }
    case 'pr':
      return valuesOf(resource, parsePath((filter as { attrPath: string }).attrPath)).some((value) => value !== '');
    default: {
      const compare = filter as Compare;
      const path = parsePath(compare.attrPath);
      const values = valuesOf(resource, path);
      if (compare.compValue === null) return (compare.op === 'eq') === (values.length === 0);
      const isExact = EXACT.has(path.sub ?? path.name ?? '');
      if (compare.op === 'ne') return !values.some((value) => compares('eq', value, compare.compValue, isExact));
      return values.some((value) => compares(compare.op, value, compare.compValue, isExact));
    }
  }
}

function compares(op: Compare['op'], value: Json, wanted: Compare['compValue'], isExact: boolean): boolean {
  // Some clients write booleans as text.
  if (typeof value === 'boolean') return op === 'eq' && String(value) === String(wanted).toLowerCase();
  if (typeof value === 'number' && typeof wanted === 'number') return ordered(op, value, wanted);
  if (typeof value !== 'string' || typeof wanted !== 'string') return false;
  const [left, right] = isExact ? [value, wanted] : [value.toLowerCase(), wanted.toLowerCase()];
  if (op === 'co') return left.includes(right);
  if (op === 'sw') return left.startsWith(right);
  if (op === 'ew') return left.endsWith(right);
  return ordered(op, left, right);
}

function ordered<T extends string | number>(op: Compare['op'], left: T, right: T): boolean {
  if (op === 'eq') return left === right;
  if (op === 'gt') return left > right;
  if (op === 'ge') return left >= right;
  if (op === 'lt') return left < right;
  return op === 'le' && left <= right;
}
