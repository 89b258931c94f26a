import type { SplitTable } from '../../collections/split-table.js';
import { encodeSegment } from '../../records/address.js';

/** Something that may be found, and its place in the order: the last segment of its address. */
export class Ordered<T> {
  readonly key: string;

  constructor(
    name: string,
    readonly item: T,
  ) {
    this.key = encodeSegment(name);
  }
}

/** Sorted at once; longer lists are merged of such runs, in steps of about the same size. */
const RUN = 512;

export function ordered<T>(name: string, item: T): Ordered<T> {
  return new Ordered(name, item);
}

/** The items in the order of their addresses, by code units; of several with one name only one. */
export function* inOrder<T>(items: Iterable<T>, nameOf: (item: T) => string): Generator<undefined, Ordered<T>[]> {
  let runs: Ordered<T>[][] = [];
  let run: Ordered<T>[] = [];
  for (const item of items) {
    run.push(new Ordered(nameOf(item), item));
    if (run.length < RUN) continue;
    yield;
    runs.push(once(run.sort(byKey)));
    run = [];
    yield;
  }
  yield;
  runs.push(once(run.sort(byKey)));
  yield;
  while (runs.length > 1) {
    const merged: Ordered<T>[][] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Sorting pays up to this share of all; of more, those are picked out of all. */
const SORTED_MAX = 1 / 16;

/**
 * The same of things found among so many, which `all` gives in order. What is put together of `all` shares its items, so
 * that a long list is mostly pointers.
 */
export function* inOrderOf<T extends { readonly name: string }>(
  found: SplitTable<T, true>,
  count: number,
  all: () => Generator<undefined, readonly Ordered<T>[]>,
): Generator<undefined, readonly Ordered<T>[]> {
  if (found.size <= count * SORTED_MAX) return yield* inOrder(found.keys(), ({ name }) => name);
  const picked: Ordered<T>[] = [];
  let looked = 0;
  for (const one of yield* all()) {
    if (++looked % RUN === 0) yield;
    if (found.has(one.item)) picked.push(one);
  }
  return picked;
}

function once<T>(sorted: Ordered<T>[]): Ordered<T>[] {
  return sorted.filter(({ key }, at) => at === 0 || key !== sorted[at - 1]?.key);
}

function* merge<T>(left: Ordered<T>[], right: Ordered<T>[]): Generator<undefined, Ordered<T>[]> {
  if (right.length === 0) return left;
  const merged: Ordered<T>[] = [];
  let [fromLeft, fromRight] = [0, 0];
  while (fromLeft < left.length || fromRight < right.length) {
    const first = left[fromLeft];
    const second = right[fromRight];
    if (first !== undefined && (second === undefined || first.key <= second.key)) {
      merged.push(first);
      fromLeft++;
      if (second?.key === first.key) fromRight++;
    } else if (second !== undefined) {
      merged.push(second);
      fromRight++;
    }
    if (merged.length % RUN === 0) yield;
  }
  return merged;
}

function byKey(left: Ordered<unknown>, right: Ordered<unknown>): number {
  return left.key < right.key ? -1 : left.key > right.key ? 1 : 0;
}

/** The index of the first that does not come before the key. */
export function firstAt(ordered: readonly Ordered<unknown>[], key: string): number {
  const after = firstAfter(ordered, key);
  return ordered[after - 1]?.key === key ? after - 1 : after;
}

/** The index of the first that comes after the key. */
export function firstAfter(ordered: readonly Ordered<unknown>[], key: string): number {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ordered[middle]?.key ?? '') <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
