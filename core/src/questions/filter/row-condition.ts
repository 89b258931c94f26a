import { remembered } from '../../collections/remembered.js';
import {
  areApart,
  complement,
  intersection,
  intersectionOf,
  isEverything,
  isNothing,
  isWithin,
  keyOfValues,
  PRESENT,
  type Scalar,
  unionOf,
  type ValueSet,
} from './value-set.js';

/** A column of rows, as conditions name it: `name`, `properties.X` or `parents.TYPE`. */
export type ColumnName = string;

/** A test that a column's value, or those of two columns, must pass. */
export interface RowTest {
  readonly op: 'lt' | 'le' | 'same' | 'startsWith' | 'endsWith' | 'contains' | 'hasAny' | 'hasOnly';
  readonly column: ColumnName;
  /** The column that it is compared with. */
  readonly other?: ColumnName;
  readonly value?: Scalar;
  readonly values?: readonly Scalar[];
}

/**
 * The rows that are meant, in two values: each row is one of them or not. A test is passed, or failed with `passes` false,
 * by rows that have a value in all of its columns, and by no others.
 */
export type RowCondition =
  | { readonly op: 'always' | 'never' }
  | { readonly op: 'set'; readonly column: ColumnName; readonly set: ValueSet }
  | { readonly op: 'test'; readonly test: RowTest; readonly key: string; readonly passes: boolean }
  | { readonly op: 'and' | 'or'; readonly parts: readonly RowCondition[] };

export const ALWAYS: RowCondition = { op: 'always' };
export const NEVER: RowCondition = { op: 'never' };

/** Conditions with more parts than this are left as they are. */
const SIMPLIFIED_MAX = 2000;

export function inSet(column: ColumnName, set: ValueSet): RowCondition {
  if (isEverything(set)) return ALWAYS;
  return isNothing(set) ? NEVER : { op: 'set', column, set };
}

export function passes(test: RowTest): RowCondition {
  return { op: 'test', test, key: JSON.stringify(test), passes: true };
}

export function not(condition: RowCondition): RowCondition {
  switch (condition.op) {
    case 'always':
      return NEVER;
    case 'never':
      return ALWAYS;
    case 'set':
      return inSet(condition.column, complement(condition.set));
    case 'test': {
      const missing = columnsOf(condition.test).map((column) => inSet(column, complement(PRESENT)));
      return or([{ ...condition, passes: !condition.passes }, ...missing]);
    }
    case 'and':
      return or(condition.parts.map(not));
    case 'or':
      return and(condition.parts.map(not));
  }
}

export function and(parts: readonly RowCondition[]): RowCondition {
  return joined('and', parts);
}

export function or(parts: readonly RowCondition[]): RowCondition {
  return joined('or', parts);
}

export function columnsOf({ column, other }: RowTest): readonly ColumnName[] {
  return other === undefined ? [column] : [column, other];
}

/** How many sets, tests and operators stand in a condition. */
export function sizeOf(condition: RowCondition): number {
  return 'parts' in condition ? condition.parts.reduce((sum, part) => sum + sizeOf(part), 1) : 1;
}

/** Whether no set in a condition names more values. */
export function listsAtMost(condition: RowCondition, most: number): boolean {
  if ('parts' in condition) return condition.parts.every((part) => listsAtMost(part, most));
  return condition.op !== 'set' || condition.set.values.size <= most;
}

const keys = new WeakMap<RowCondition, string>();

/** A text that only conditions of the same parts have, in any order; it is made once. */
export function keyOf(condition: RowCondition): string {
  let key = keys.get(condition);
  if (key === undefined) {
    key = keyMadeOf(condition);
    keys.set(condition, key);
  }
  return key;
}

function keyMadeOf(condition: RowCondition): string {
  switch (condition.op) {
    case 'set': {
      const { values, others, missing } = condition.set;
      return `${JSON.stringify(condition.column)} ${others} ${missing} ${keyOfValues(values)}`;
    }
    case 'test':
      return `${condition.passes} ${condition.key}`;
    case 'and':
    case 'or':
      return `(${condition.op} ${condition.parts.map(keyOf).sort().join(' ')})`;
    default:
      return condition.op;
  }
}

/** Facts that hold wherever a part is looked at: the values that columns may have, and tests that are settled. */
interface Facts {
  readonly sets: ReadonlyMap<ColumnName, ValueSet>;
  readonly tests: ReadonlyMap<string, boolean>;
}

type Leaf = Extract<RowCondition, { op: 'set' | 'test' }>;

/**
 * Joins conditions, flat and without what says nothing. Sets of one column become one. What a part says is filled in in the
 * others: of `and` that it holds, of `or` that it does not.
 */
function joined(op: 'and' | 'or', given: readonly RowCondition[]): RowCondition {
  const [settling, neutral] = op === 'and' ? [NEVER, ALWAYS] : [ALWAYS, NEVER];
  const [first] = given;
  if (first === undefined) return neutral;
  if (given.length === 1) return first;
  const ofColumns = new Map<ColumnName, ValueSet[]>();
  const tests = new Map<string, Leaf & { op: 'test' }>();
  const nested = new Map<string, RowCondition>();
  const all = [...flat(op, given)];
  const few = all.reduce((sum, part) => sum + sizeOf(part), 0) <= SIMPLIFIED_MAX;
  for (const part of all) {
    if (part.op === settling.op) return settling;
    if (part.op === neutral.op) continue;
    if (part.op === 'set') remembered(ofColumns, part.column, () => []).push(part.set);
    else if (part.op === 'test') {
      const known = tests.get(part.key);
      if (known !== undefined && known.passes !== part.passes) {
        if (op === 'and') return NEVER;
        // Passed or failed: all that is left to say is that its columns are there.
        const present = columnsOf(part.test).map((column) => inSet(column, PRESENT));
        return joined(op, [...all.filter((one) => !isTest(one, part.key)), and(present)]);
      }
      tests.set(part.key, part);
    } else nested.set(few ? keyOf(part) : String(nested.size), part);
  }
  const join = op === 'and' ? intersectionOf : unionOf;
  const sets = new Map([...ofColumns].map(([column, all]) => [column, join(all)]));
  // A test says that its columns are there, so nothing need say it again.
  for (const { test } of tests.values())
    for (const column of columnsOf(test)) {
      const set = sets.get(column);
      if (set === undefined) continue;
      if (op === 'or') {
        if (isWithin(PRESENT, set)) tests.delete(JSON.stringify(test));
        continue;
      }
      const left = intersection(set, PRESENT);
      if (isNothing(left)) return NEVER;
      if (isWithin(PRESENT, left)) sets.delete(column);
      else sets.set(column, left);
    }
  const leaves: Leaf[] = [];
  for (const [column, set] of sets) {
    const leaf = inSet(column, set);
    if (leaf.op === settling.op) return settling;
    if (leaf.op === 'set') leaves.push(leaf);
  }
  leaves.push(...tests.values());
  const others = few ? filledIn(op, leaves, [...nested.values()]) : [...nested.values()];
  if (others.some((part, at) => part !== [...nested.values()][at])) return joined(op, [...leaves, ...others]);
  const parts: readonly RowCondition[] = few ? factored(op, [...leaves, ...others]) : [...leaves, ...others];
  const [only] = parts;
  if (only === undefined) return neutral;
  return parts.length === 1 ? only : { op, parts };
}

function isTest(part: RowCondition, key: string): boolean {
  return part.op === 'test' && part.key === key;
}

function* flat(op: 'and' | 'or', parts: readonly RowCondition[]): Iterable<RowCondition> {
  for (const part of parts) {
    if (part.op === op) yield* flat(op, part.parts);
    else yield part;
  }
}

function filledIn(op: 'and' | 'or', leaves: readonly Leaf[], nested: readonly RowCondition[]): readonly RowCondition[] {
  if (nested.length === 0) return nested;
  const facts = factsOf(op, leaves);
  return nested.map((part) => assuming(part, facts)).filter((part, at, all) => !isCovered(op, part, at, all));
}

/** Leaves out a part that another one says already: `a && b` beside `a`, and `a || b` beside `a` or `a || b || c`. */
function isCovered(op: 'and' | 'or', part: RowCondition, at: number, all: readonly RowCondition[]): boolean {
  if (!('parts' in part) || part.op === op || all.length > 64) return false;
  const own = new Set(part.parts.map(keyOf));
  return all.some((other, index) => {
    if (index === at || other.op !== part.op || !('parts' in other) || other.parts.length > own.size) return false;
    if (other.parts.length === own.size && index > at) return false;
    return other.parts.every((one) => own.has(keyOf(one)));
  });
}

/** Takes out what several parts have in common: `(a || b) && (a || c)` is `a || b && c`. */
function factored(op: 'and' | 'or', parts: readonly RowCondition[]): readonly RowCondition[] {
  const found = new Map<string, { leaf: RowCondition; among: (RowCondition & { parts: readonly RowCondition[] })[] }>();
  for (const part of parts) {
    if (!('parts' in part)) continue;
    for (const leaf of part.parts) {
      if ('parts' in leaf) continue;
      const key = keyOf(leaf);
      const known = found.get(key) ?? { leaf, among: [] };
      found.set(key, known);
      known.among.push(part);
    }
  }
  const [most] = [...found.values()].sort((left, right) => right.among.length - left.among.length);
  if (most === undefined || most.among.length < 2) return parts;
  const { leaf, among } = most;
  const dual = op === 'and' ? 'or' : 'and';
  const rests = among.map((part) =>
    joined(
      dual,
      part.parts.filter((one) => keyOf(one) !== keyOf(leaf)),
    ),
  );
  const together = joined(dual, [leaf, joined(op, rests)]);
  return factored(op, [...parts.filter((part) => !among.some((one) => one === part)), together]);
}

/** The facts in which the other parts matter: all leaves hold, or with `or` none of them does. */
function factsOf(op: 'and' | 'or', leaves: readonly Leaf[]): Facts {
  const sets = new Map<ColumnName, ValueSet>();
  const tests = new Map<string, boolean>();
  const restrict = (column: ColumnName, set: ValueSet) => {
    const known = sets.get(column);
    sets.set(column, known === undefined ? set : intersection(known, set));
  };
  for (const leaf of leaves) {
    if (leaf.op === 'set') restrict(leaf.column, op === 'and' ? leaf.set : complement(leaf.set));
    else if (op === 'and') {
      tests.set(leaf.key, leaf.passes);
      for (const column of columnsOf(leaf.test)) restrict(column, PRESENT);
    } else tests.set(leaf.key, !leaf.passes);
  }
  return { sets, tests };
}

/** The condition for rows for which the facts hold. With `or`, a test that fails may also lack a column. */
function assuming(condition: RowCondition, facts: Facts): RowCondition {
  switch (condition.op) {
    case 'set': {
      const known = facts.sets.get(condition.column);
      if (known === undefined) return condition;
      if (isWithin(known, condition.set)) return ALWAYS;
      return areApart(known, condition.set) ? NEVER : condition;
    }
    case 'test': {
      const known = facts.tests.get(condition.key);
      const valuesOf = (column: ColumnName) => facts.sets.get(column) ?? ANYTHING;
      const there = (column: ColumnName) => isWithin(valuesOf(column), PRESENT);
      const columns = columnsOf(condition.test);
      if (columns.some((column) => areApart(valuesOf(column), PRESENT))) return NEVER;
      if (known === undefined) return condition;
      if (known !== condition.passes) return NEVER;
      return columns.every(there) ? ALWAYS : condition;
    }
    case 'and':
    case 'or': {
      const parts = condition.parts.map((part) => assuming(part, facts));
      return parts.every((part, at) => part === condition.parts[at]) ? condition : joined(condition.op, parts);
    }
    default:
      return condition;
  }
}

const ANYTHING: ValueSet = { ...PRESENT, missing: true };
