import type { PropertyType } from '../../records/fields.js';
import type { ValueKind } from './value.js';

/**
 * The static type of a node, as known before any request. `any` is decided by the value. `int` is a number that CEL would
 * hold as an integer, known from literals, sizes and conversions: only the division of two of them cuts off the fraction.
 */
export interface StaticType {
  readonly kind: ValueKind | 'int' | 'any';
  /** The type of a list's items, or of a map's members. */
  readonly item?: StaticType;
  /** The members of a map whose members are known: no others may be named. */
  readonly members?: ReadonlyMap<string, StaticType>;
  /** Others may be named, too, unless they look like a slip for a known one. */
  readonly open?: boolean;
  /** How the fault of naming another one begins: `the resource type declares no property`. */
  readonly unknown?: string;
}

export const ANY: StaticType = { kind: 'any' };
export const BOOL: StaticType = { kind: 'boolean' };
export const INT: StaticType = { kind: 'int' };
export const NUMBER: StaticType = { kind: 'number' };
export const STRING: StaticType = { kind: 'string' };
export const NULL: StaticType = { kind: 'null' };
export const TIMESTAMP: StaticType = { kind: 'timestamp' };
export const DURATION: StaticType = { kind: 'duration' };
export const TYPE: StaticType = { kind: 'type' };
export const MAP: StaticType = { kind: 'map', item: ANY };
export const LIST: StaticType = { kind: 'list', item: ANY };
export const STRING_LIST: StaticType = { kind: 'list', item: STRING };

export function listOf(item: StaticType): StaticType {
  return { kind: 'list', item };
}

/** Whether a value of this type may turn out to be of `kind`. */
export function mayBe(type: StaticType, kind: ValueKind): boolean {
  return type.kind === 'any' || type.kind === kind || (type.kind === 'int' && kind === 'number');
}

/** Whether values of the two types can be equal at all; null may stand for any missing value. */
export function comparable(left: StaticType, right: StaticType): boolean {
  if (left.kind === 'null' || right.kind === 'null') return true;
  return mayBe(left, valueKind(right)) || right.kind === 'any';
}

function valueKind(type: StaticType): ValueKind {
  return type.kind === 'int' ? 'number' : (type.kind as ValueKind);
}

/** The type of a value that is of one or of the other. */
export function either(left: StaticType, right: StaticType): StaticType {
  if (left === right) return left;
  if (valueKind(left) !== valueKind(right)) return ANY;
  if (valueKind(left) === 'number') return NUMBER;
  return left.kind === 'list' ? LIST : left.kind === 'map' ? MAP : left;
}

/** The kind in words: "a number". */
export function inWords(kind: StaticType['kind']): string {
  if (kind === 'null') return 'null';
  if (kind === 'any') return 'any value';
  return kind === 'int' ? 'a number' : `a ${kind}`;
}

export const DECLARED: { readonly [T in PropertyType]: StaticType } = {
  string: STRING,
  number: NUMBER,
  boolean: BOOL,
  list: LIST,
  map: MAP,
  any: ANY,
};

/** The type of `resource.properties` where the resource type declares them. */
export function declaredProperties(types: Readonly<Record<string, PropertyType>>): StaticType {
  const members = new Map(Object.entries(types).map(([name, type]) => [name, DECLARED[type]]));
  return { kind: 'map', members, unknown: 'the resource type declares no property' };
}
