import type { Json, JsonObject } from '@authz-service/core/json/json';
import type { AttributePath } from './attribute-path.js';

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function itemsOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

/** The member of an object whose name is this one but for upper and lower case. */
export function own(object: JsonObject, name: string): JsonObject[string] | undefined {
  const key = keyIn(object, name);
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The name as the object has it. */
export function keyIn(object: JsonObject, name: string): string {
  if (Object.hasOwn(object, name)) return name;
  const lower = name.toLowerCase();
  return Object.keys(object).find((key) => key.toLowerCase() === lower) ?? name;
}

/** The values of an attribute, of those of its items that are kept. Of an item with a `value`, that is the value. */
export function valuesOf(
  resource: JsonObject,
  { urn, name, sub }: AttributePath,
  keep: (item: Json) => boolean = () => true,
): Json[] {
  const holder = urn === undefined ? resource : own(resource, urn);
  if (!isObject(holder) || name === undefined) return [];
  return itemsOf(own(holder, name))
    .filter(keep)
    .flatMap((item) => {
      if (isObject(item)) return itemsOf(own(item, sub ?? 'value') ?? (sub === undefined ? item : undefined));
      return sub === undefined || sub.toLowerCase() === 'value' ? [item] : [];
    });
}
