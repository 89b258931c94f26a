import { encodeSegment } from '../records/address.js';

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

/** The items in the order of their addresses, by code units. Names must differ. */
export function* inOrder<T>(items: Iterable<T>, nameOf: (item: T) => string): Generator<undefined, Ordered<T>[]> {
  let runs: Ordered<T>[][] = [];
  let run: Ordered<T>[] = [];
  for (const item of items) {
    run.push(new Ordered(nameOf(item), item));
    if (run.length < RUN) continue;
    runs.push(run.sort(byKey));
    run = [];
    yield;
  }
  runs.push(run.sort(byKey));
  while (runs.length > 1) {
    const merged: Ordered<T>[][] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(left: Ordered<T>[], right: Ordered<T>[]): Generator<undefined, Ordered<T>[]> {
  if (right.length === 0) return left;
  const merged: Ordered<T>[] = [];
  let [fromLeft, fromRight] = [0, 0];
  while (merged.length < left.length + right.length) {
    const [first, second] = [left[fromLeft], right[fromRight]];
    if (first !== undefined && (second === undefined || first.key < second.key)) {
      merged.push(first);
      fromLeft++;
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
