/** A value that columns and conditions have alike. */
export type Scalar = string | number | boolean;

/** Databases and this program put texts with these characters in different orders: by code points, and by code units. */
export const ORDERED_APART = /[\ud800-\uffff]/;

/**
 * The values of one column that are meant: some, or with `others` all but these; and with `missing` also its absence. Two
 * sets that mean the same have the same members.
 */
export interface ValueSet {
  readonly values: ReadonlySet<Scalar>;
  readonly others: boolean;
  readonly missing: boolean;
}

const NONE: ReadonlySet<Scalar> = new Set();

export const PRESENT: ValueSet = { values: NONE, others: true, missing: false };
export const MISSING: ValueSet = { values: NONE, others: false, missing: true };

const sorted = new WeakMap<ReadonlySet<Scalar>, readonly Scalar[]>();
const keys = new WeakMap<ReadonlySet<Scalar>, string>();
let large = 0;

/** The values in order; sorted once, since sets are shared and may be large. */
export function sortedValues(values: ReadonlySet<Scalar>): readonly Scalar[] {
  const known = sorted.get(values);
  if (known !== undefined) return known;
  const made = [...values];
  // Without a comparison, texts are put in the same order, and faster.
  if (made.every((value) => typeof value === 'string')) made.sort();
  else made.sort((left, right) => (left < right ? -1 : left > right ? 1 : 0));
  sorted.set(values, made);
  return made;
}

/** Larger sets are told apart by identity. */
export const COMPARED_MAX = 64;

/** A text that only sets of the same values have; of large sets, only those that are one object. */
export function keyOfValues(values: ReadonlySet<Scalar>): string {
  let key = keys.get(values);
  if (key === undefined) {
    key = values.size <= COMPARED_MAX ? JSON.stringify(sortedValues(values)) : `#${++large}`;
    keys.set(values, key);
  }
  return key;
}

/** Exactly these values. */
export function oneOf(values: Iterable<Scalar>): ValueSet {
  return normal({ values: values instanceof Set ? values : new Set(values), others: false, missing: false });
}

/** Any value but these. */
export function noneOf(values: Iterable<Scalar>): ValueSet {
  return normal({ values: new Set(values), others: true, missing: false });
}

export function isEverything({ values, others, missing }: ValueSet): boolean {
  return others && missing && values.size === 0;
}

export function isNothing({ values, others, missing }: ValueSet): boolean {
  return !others && !missing && values.size === 0;
}

export function complement({ values, others, missing }: ValueSet): ValueSet {
  return normal({ values, others: !others, missing: !missing });
}

export function intersection(left: ValueSet, right: ValueSet): ValueSet {
  const missing = left.missing && right.missing;
  if (left.others && right.others)
    return normal({ values: new Set([...left.values, ...right.values]), others: true, missing });
  if (left.others || (!right.others && right.values.size < left.values.size)) return intersection(right, left);
  const kept: Scalar[] = [];
  for (const value of left.values) if (right.values.has(value) !== right.others) kept.push(value);
  const values = kept.length === left.values.size ? left.values : new Set(kept);
  return values === left.values && missing === left.missing ? left : normal({ values, others: false, missing });
}

/** Whether no value is in both, nor its absence. */
export function areApart(left: ValueSet, right: ValueSet): boolean {
  if ((left.missing && right.missing) || (left.others && right.others)) return false;
  if (left.others || (!right.others && right.values.size < left.values.size)) return areApart(right, left);
  for (const value of left.values) if (right.values.has(value) !== right.others) return false;
  return true;
}

/** Collects the values of any of the sets, of which there is at least one, in one pass: there may be thousands. */
export function unionOf(sets: readonly ValueSet[]): ValueSet {
  const [first, ...more] = new Set(sets);
  if (first !== undefined && more.length === 0) return first;
  const listed = new Set<Scalar>();
  let excluded: ReadonlySet<Scalar> | undefined;
  let missing = false;
  for (const set of sets) {
    missing ||= set.missing;
    if (!set.others) for (const value of set.values) listed.add(value);
    else if (excluded === undefined) excluded = set.values;
    else {
      const { values } = set;
      excluded = new Set([...excluded].filter((value) => values.has(value)));
    }
  }
  if (excluded === undefined) return normal({ values: listed, others: false, missing });
  return normal({ values: new Set([...excluded].filter((value) => !listed.has(value))), others: true, missing });
}

/** Collects the values that all of the sets have, of which there is at least one. */
export function intersectionOf(sets: readonly ValueSet[]): ValueSet {
  const [first, ...more] = sets;
  return first !== undefined && more.length === 0 ? first : complement(unionOf(sets.map(complement)));
}

/** Whether all that the first means is meant by the second. */
export function isWithin(inner: ValueSet, outer: ValueSet): boolean {
  if (inner.missing && !outer.missing) return false;
  if (!inner.others) {
    for (const value of inner.values) if (outer.values.has(value) === outer.others) return false;
    return true;
  }
  if (!outer.others) return false;
  for (const value of outer.values) if (!inner.values.has(value)) return false;
  return true;
}

/** Writes sets of truth values, of which there are two, in one form: all but one is the other. */
function normal(set: ValueSet): ValueSet {
  const { values, others, missing } = set;
  const [first] = values;
  if (!others || typeof first !== 'boolean') {
    return !others && values.size === 2 && typeof first === 'boolean' && onlyTruth(values)
      ? { values: NONE, others: true, missing }
      : set;
  }
  if (!onlyTruth(values)) return set;
  return values.size === 2
    ? { values: NONE, others: false, missing }
    : { values: new Set([!first]), others: false, missing };
}

function onlyTruth(values: ReadonlySet<Scalar>): boolean {
  return [...values].every((value) => typeof value === 'boolean');
}
