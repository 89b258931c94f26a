import { CONDITION_LIMITS } from '../syntax/limits.js';
import { isInCalendar } from './moment.js';
import { Failure, Trouble } from './outcome.js';
import type { Work } from './work.js';

/** A moment in time, in milliseconds since the epoch. */
export class Moment {
  constructor(readonly ms: number) {}
}

/** The moment at these milliseconds. Beyond the calendar it is a failure, since comparisons would mean nothing. */
export function momentAt(ms: number): Moment | Failure {
  return isInCalendar(ms) ? new Moment(ms) : new Failure('a timestamp lies outside the years 1 to 9999');
}

/** A length of time, in milliseconds; it may be negative. */
export class Span {
  constructor(readonly ms: number) {}
}

/** The value that `type(x)` gives. */
export class TypeName {
  constructor(readonly name: string) {}
}

export type ValueMap = { readonly [key: string]: Value };

/**
 * A value in a condition. JSON has one kind of number, so conditions have one too; whether CEL calls it an int is known
 * from the expression alone (`StaticType`). Maps are objects read by own keys only, so that a key named `__proto__` or
 * `constructor` is a key like any other.
 */
export type Value = null | boolean | number | string | readonly Value[] | ValueMap | Moment | Span | TypeName;

/** The result of evaluating a node. */
export type Result = Value | Trouble;

export type ValueKind = 'null' | 'boolean' | 'number' | 'string' | 'list' | 'map' | 'timestamp' | 'duration' | 'type';

export function kindOf(value: Value): ValueKind {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    default:
      if (value === null) return 'null';
      if (Array.isArray(value)) return 'list';
      if (value instanceof Moment) return 'timestamp';
      if (value instanceof Span) return 'duration';
      return value instanceof TypeName ? 'type' : 'map';
  }
}

export function isTrouble(result: Result): result is Trouble {
  return typeof result === 'object' && result instanceof Trouble;
}

export function isMap(value: Value): value is ValueMap {
  return kindOf(value) === 'map';
}

/** Caches the keys of large maps: listing a hundred thousand takes tens of milliseconds. */
const listed = new WeakMap<ValueMap, readonly string[]>();
const LISTED_MIN = 500;

/** The keys of a map. A large one, which may be stored with a record, is listed once, not for every decision. */
export function keysOf(map: ValueMap): readonly string[] {
  const known = listed.get(map);
  if (known !== undefined) return known;
  const keys = Object.keys(map);
  if (keys.length >= LISTED_MIN) listed.set(map, keys);
  return keys;
}

/** Equality by content; values of different kinds are unequal, never a failure (CEL's heterogeneous equality). */
export function equal(left: Value, right: Value, work: Work): boolean {
  if (typeof left === 'string' && typeof right === 'string') return equalStrings(left, right, work);
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  work.charge(1);
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    work.charge(left.length);
    return left.every((item, index) => equal(item, right[index], work));
  }
  if (left instanceof Moment) return right instanceof Moment && left.ms === right.ms;
  if (left instanceof Span) return right instanceof Span && left.ms === right.ms;
  if (left instanceof TypeName) return right instanceof TypeName && left.name === right.name;
  return isMap(left) && isMap(right) && equalMaps(left, right, work);
}

/** Equality of strings; long ones are charged for being compared. */
export function equalStrings(left: string, right: string, work: Work): boolean {
  if (left.length !== right.length) return false;
  if (left.length > 256) work.charge(left.length >> 6);
  return left === right;
}

function equalMaps(left: ValueMap, right: ValueMap, work: Work): boolean {
  const keys = keysOf(left);
  work.charge(keys.length * 4);
  if (keys.length !== keysOf(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && equal(left[key] as Value, right[key] as Value, work));
}

/** Whether a list holds an item equal to `value`. */
export function includes(list: readonly Value[], value: Value, work: Work): boolean {
  work.charge(typeof value === 'string' && value.length > 256 ? list.length * (value.length >> 6) : list.length >> 2);
  if (value === null || typeof value !== 'object') return list.includes(value);
  return list.some((item) => equal(item, value, work));
}

/** Whether a string of this length may be built; charges for copying it. */
export function mayBuildString(length: number, work: Work): boolean {
  work.charge(length >> 4);
  return length <= CONDITION_LIMITS.stringLength;
}

/** Whether a list of this length may be built; charges for copying it. */
export function mayBuildList(length: number, work: Work): boolean {
  work.charge(length >> 2);
  return length <= CONDITION_LIMITS.listLength;
}
