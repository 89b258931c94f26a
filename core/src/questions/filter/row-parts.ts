import { ProblemError } from '../../problem.js';
import { and, type ColumnName, inSet, NEVER, or, passes, type RowCondition } from './row-condition.js';
import { MISSING, ORDERED_APART, type ValueSet } from './value-set.js';

/** Rows whose texts in a column come from `from` on and before `to`; rows without one come first. */
export interface RowInterval {
  readonly column: ColumnName;
  readonly from?: string;
  readonly to?: string;
}

/** The part of a filter that is asked for: where it begins, and how many items its lists may have. */
export interface AskedPart {
  readonly limit: number;
  /** One within the other; of a column that is cut again within a part there are several. Empty for the first part. */
  readonly intervals: readonly RowInterval[];
}

/** The most items of a list in a filter, and the most recorded resources or places that are told apart for one. */
export const FILTER_LIST_MAX = 10_000;

/** Keeps the lists of a filter short: by a refusal, or by cutting the rows into parts, none of which lacks or repeats a row. */
export class RowParts {
  readonly #intervals: RowInterval[];
  readonly #given: number;
  readonly #limit: number;

  constructor(private readonly asked: AskedPart | undefined) {
    this.#intervals = [...(asked?.intervals ?? [])];
    this.#given = this.#intervals.length;
    this.#limit = asked?.limit ?? FILTER_LIST_MAX;
  }

  /** The part after this one; undefined after the last. */
  get next(): readonly RowInterval[] | undefined {
    const at = this.#intervals.findLastIndex(({ to }) => to !== undefined);
    const last = this.#intervals[at];
    if (last?.to === undefined) return undefined;
    return [...this.#intervals.slice(0, at), { column: last.column, from: last.to }];
  }

  /**
   * Those of the texts that are in this part; of more than `limit` the first ones, and then the part ends before the others.
   * Throws `filter_too_large`, which says what there are too many of.
   */
  within(column: ColumnName, texts: Iterable<string>, what: string, limit = this.#limit): ReadonlySet<string> {
    const interval = this.#intervalOf(column);
    const kept = new Set<string>();
    for (const text of texts) if (isWithin(text, interval)) kept.add(text);
    if (kept.size <= limit) return kept;
    const sorted = [...kept].sort();
    const end = this.asked === undefined ? 0 : lastEnd(sorted, limit);
    if (end < 1) throw tooLarge(kept.size, what, limit, this.asked !== undefined);
    const ended = { ...interval, to: sorted[end] as string };
    // Intervals around the last one hold for the parts to come, too: their columns are cut again within it.
    const at = this.#intervals.findLastIndex((one) => one.column === column);
    if (at < 0 || at < this.#given - 1) this.#intervals.push(ended);
    else this.#intervals[at] = ended;
    return new Set(sorted.slice(0, end));
  }

  /** The interval that all those of a column have in common. */
  #intervalOf(column: ColumnName): RowInterval {
    let common: RowInterval = { column };
    for (const one of this.#intervals) {
      if (one.column !== column) continue;
      const { from = one.from, to = one.to } = common;
      const later = one.from !== undefined && from !== undefined && one.from > from ? one.from : from;
      const earlier = one.to !== undefined && to !== undefined && one.to < to ? one.to : to;
      common = { column, ...(later !== undefined && { from: later }), ...(earlier !== undefined && { to: earlier }) };
    }
    return common;
  }

  /** The condition for the rows of this part. Throws `filter_too_large`. */
  limited(condition: RowCondition): RowCondition {
    let limited = this.#restricted(condition);
    for (let long = longestIn(limited, this.#limit); long.size > this.#limit; long = longestIn(limited, this.#limit)) {
      const { column, values, size } = long;
      const what =
        column === 'name' ? 'names' : column.startsWith('parents.') ? `names in ${column}` : `values of ${column}`;
      if (!values.every((value) => typeof value === 'string'))
        throw tooLarge(size, what, this.#limit, this.asked !== undefined);
      this.within(column, values, what);
      limited = this.#restricted(limited);
    }
    const columns = new Set(this.#intervals.map(({ column }) => column));
    const open = [...columns].filter((column) => !confines(limited, column));
    return open.length === 0 ? limited : and([limited, ...open.map((column) => testOf(this.#intervalOf(column)))]);
  }

  #restricted(condition: RowCondition): RowCondition {
    if (this.#intervals.length === 0) return condition;
    if (condition.op === 'set') {
      const { column, set } = condition;
      if (!this.#intervals.some((one) => one.column === column)) return condition;
      return inSet(column, restrictedSet(set, this.#intervalOf(column)));
    }
    if (condition.op !== 'and' && condition.op !== 'or') return condition;
    const parts = condition.parts.map((part) => this.#restricted(part));
    return condition.op === 'and' ? and(parts) : or(parts);
  }
}

/** Whether a condition names all values that a column may have. */
export function confines(condition: RowCondition, column: ColumnName): boolean {
  switch (condition.op) {
    case 'never':
      return true;
    case 'set':
      return condition.column === column && !condition.set.others;
    case 'and':
      return condition.parts.some((part) => confines(part, column));
    case 'or':
      return condition.parts.every((part) => confines(part, column));
    default:
      return false;
  }
}

function isWithin(text: string, { from, to }: RowInterval): boolean {
  return (from === undefined || text >= from) && (to === undefined || text < to);
}

/** How many of the texts a part may have: the next one must come after them in the order of databases, too. */
function lastEnd(sorted: readonly string[], limit: number): number {
  let end = limit;
  while (end > 0 && ORDERED_APART.test(sorted[end] as string)) end--;
  return end;
}

/** The set for rows of a part. */
function restrictedSet(set: ValueSet, interval: RowInterval): ValueSet {
  const values = [...set.values].filter((value) => typeof value !== 'string' || isWithin(value, interval));
  return {
    values: new Set(values),
    others: set.others,
    missing: set.missing && (set.others || interval.from === undefined),
  };
}

function testOf({ column, from, to }: RowInterval): RowCondition {
  const before = (value: string) => passes({ op: 'lt', column, value });
  const begun = from === undefined ? undefined : { ...before(from), passes: false };
  if (to === undefined) return begun as RowCondition;
  if (begun !== undefined) return and([begun as RowCondition, before(to)]);
  return or([before(to), column === 'name' ? NEVER : inSet(column, MISSING)]);
}

/** The column of the longest list, with the values of all of its lists. */
function longestIn(
  condition: RowCondition,
  limit: number,
): { column: ColumnName; values: readonly unknown[]; size: number } {
  let longest = { column: '', size: 0 };
  const look = (part: RowCondition) => {
    if ('parts' in part) for (const one of part.parts) look(one);
    if (part.op !== 'set') return;
    const { size } = part.set.values;
    if (size > longest.size) longest = { column: part.column, size };
  };
  const collect = (part: RowCondition) => {
    if ('parts' in part) for (const one of part.parts) collect(one);
    if (part.op !== 'set' || part.column !== longest.column) return;
    for (const value of part.set.values) found.add(value);
  };
  const found = new Set<unknown>();
  look(condition);
  if (longest.size > limit) collect(condition);
  return { ...longest, values: [...found] };
}

function tooLarge(count: number, what: string, limit: number, inParts: boolean): ProblemError {
  const remedy = inParts
    ? 'search for recorded resources, or ask for decisions on rows'
    : 'ask for it in parts, by page';
  const detail = `The filter would list ${count} ${what}, of which ${limit} are allowed: ${remedy}.`;
  return new ProblemError('filter_too_large', detail);
}
