import type { Attribute, Attributes, Nesting, Type } from './schema.js';
import { isList, isObject, isWhollyKnown, UNKNOWN, type Value, type Values } from './value.js';

/**
 * Whether two values of an attribute are equal, sets in any order. An unknown value equals nothing, not even itself.
 */
export function equalValues(attribute: Attribute, left: Value, right: Value): boolean {
  if (left === UNKNOWN || right === UNKNOWN) return false;
  if ('type' in attribute) return equalTyped(attribute.type, left, right);
  return equalNested(attribute, left, right, equalValues);
}

export function equalObjects(attributes: Attributes, left: Values, right: Values): boolean {
  return equalAttributes(attributes, left, right, equalValues);
}

/** Whether two known values of an attribute mean the same, however they are written. */
export function meanSame(attribute: Attribute, left: Value, right: Value): boolean {
  if (!isWhollyKnown(left) || !isWhollyKnown(right)) return false;
  if (attribute.same?.(left, right) || equalValues(attribute, left, right)) return true;
  return !('type' in attribute) && equalNested(attribute, left, right, meanSame);
}

type Compare = (attribute: Attribute, left: Value, right: Value) => boolean;

function equalNested(
  { nested, attributes }: { nested: Nesting; attributes: Attributes },
  left: Value,
  right: Value,
  compare: Compare,
): boolean {
  const equalItems = (a: Value, b: Value) =>
    a === b || (isObject(a) && isObject(b) && equalAttributes(attributes, a, b, compare));
  return nested === 'single' ? equalItems(left, right) : equalCollections(nested, left, right, equalItems);
}

function equalAttributes(attributes: Attributes, left: Values, right: Values, compare: Compare): boolean {
  return Object.entries(attributes).every(([name, attribute]) =>
    compare(attribute, left[name] ?? null, right[name] ?? null),
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
    // Of two elements that mean the same, each matches the other's counterpart, so both sides are asked.
    if (kind === 'set')
      return left.every((a) => right.some((b) => equal(a, b))) && right.every((b) => left.some((a) => equal(a, b)));
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
