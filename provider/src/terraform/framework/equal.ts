import type { Attribute, Attributes, Type } from './schema.js';
import { isList, isObject, UNKNOWN, type Value, type Values } from './value.js';

/**
 * Whether two values of an attribute are equal, sets in any order. An unknown value equals nothing, not even itself.
 */
export function equalValues(attribute: Attribute, left: Value, right: Value): boolean {
  if (left === UNKNOWN || right === UNKNOWN) return false;
  if ('type' in attribute) return equalTyped(attribute.type, left, right);
  const equalItems = (a: Value, b: Value) =>
    a === b || (isObject(a) && isObject(b) && equalObjects(attribute.attributes, a, b));
  if (attribute.nested === 'single') return equalItems(left, right);
  return equalCollections(attribute.nested, left, right, equalItems);
}

export function equalObjects(attributes: Attributes, left: Values, right: Values): boolean {
  return Object.entries(attributes).every(([name, attribute]) =>
    equalValues(attribute, left[name] ?? null, right[name] ?? null),
  );
}

function equalTyped(type: Type, left: Value, right: Value): boolean {
  if (left === UNKNOWN || right === UNKNOWN) return false;
  if (typeof type === 'string') return left === right;
  const [kind, item] = Object.entries(type)[0] as ['list' | 'set' | 'map', Type];
  return equalCollections(kind, left, right, (a, b) => equalTyped(item, a, b));
}

function equalCollections(
  kind: 'list' | 'set' | 'map',
  left: Value,
  right: Value,
  equal: (left: Value, right: Value) => boolean,
): boolean {
  if (isList(left) && isList(right)) {
    if (left.length !== right.length) return false;
    if (kind === 'set') return left.every((a) => right.some((b) => equal(a, b)));
    return left.every((a, index) => equal(a, right[index] ?? null));
  }
  if (kind === 'map' && isObject(left) && isObject(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && equal(left[key] ?? null, right[key] ?? null))
    );
  }
  return left === right;
}
