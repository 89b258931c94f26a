import { UNKNOWN } from '../protocol/msgpack.js';

export { UNKNOWN };

/**
 * A value in Terraform's type system: numbers beyond a double's precision are bigint, and sets are arrays in any order.
 */
export type Value =
  | null
  | string
  | number
  | bigint
  | boolean
  | typeof UNKNOWN
  | readonly Value[]
  | { readonly [key: string]: Value };

/** The values of an object's attributes, by name. */
export type Values = { readonly [attribute: string]: Value };

export function isObject(value: Value | undefined): value is { readonly [key: string]: Value } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

/** Whether no part of the value is unknown until apply. */
export function isWhollyKnown(value: Value): boolean {
  if (value === UNKNOWN) return false;
  if (isList(value)) return value.every(isWhollyKnown);
  return !isObject(value) || Object.values(value).every(isWhollyKnown);
}
