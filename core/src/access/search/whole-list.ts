import { encodeSegment } from '../../records/address.js';
import { firstAt, inOrder, type Ordered, ordered } from './ordered.js';

/** Up to this many changes are put into a list one by one. */
const FEW_MAX = 64;
const STEP = 512;

/**
 * All recorded things of one type in the order of their names, kept while the tenant changes: what has changed since the
 * last search is put into a copy of the list, so that pages of that search are not moved.
 */
export class WholeList<T> {
  #list: readonly Ordered<T>[] | undefined;
  /** By name; undefined for what is gone. */
  #changed = new Map<string, T | undefined>();
  #work: Generator<undefined, readonly Ordered<T>[]> | undefined;

  /** `all` goes through everything, `nameOf` gives its name. */
  constructor(
    private readonly all: () => Iterable<T>,
    private readonly nameOf: (item: T) => string,
  ) {}

  /** Notes that the thing of this name came, was replaced, or went. */
  note(name: string, item: T | undefined): void {
    this.#changed.set(name, item);
  }

  /** Searches that come while the list is made help to make it. */
  *get(): Generator<undefined, readonly Ordered<T>[]> {
    while (this.#list === undefined || this.#changed.size > 0 || this.#work !== undefined) {
      this.#work ??= this.#next();
      const { done, value } = this.#work.next();
      if (!done) {
        yield;
        continue;
      }
      this.#work = undefined;
      this.#list = value;
    }
    return this.#list;
  }

  *#next(): Generator<undefined, readonly Ordered<T>[]> {
    const list = this.#list ?? (yield* inOrder(this.all(), this.nameOf));
    const changed = this.#changed;
    this.#changed = new Map();
    if (changed.size === 0) return list;
    return changed.size <= FEW_MAX ? yield* patched(list, changed) : yield* merged(list, changed);
  }
}

function* patched<T>(
  list: readonly Ordered<T>[],
  changed: ReadonlyMap<string, T | undefined>,
): Generator<undefined, readonly Ordered<T>[]> {
  const copy = [...list];
  for (const [name, item] of changed) {
    const key = encodeSegment(name);
    const at = firstAt(copy, key);
    const present = copy[at]?.key === key ? 1 : 0;
    // Each moves what comes behind it.
    yield;
    copy.splice(at, present, ...(item === undefined ? [] : [ordered(name, item)]));
  }
  return copy;
}

function* merged<T>(
  list: readonly Ordered<T>[],
  changed: ReadonlyMap<string, T | undefined>,
): Generator<undefined, readonly Ordered<T>[]> {
  // Sorted and not looked up: a map of many entries grows in long steps.
  const news = yield* inOrder(changed, ([name]) => name);
  const result: Ordered<T>[] = [];
  let at = 0;
  let worked = 0;
  for (const { key, item: change } of news) {
    for (let old = list[at]; old !== undefined && old.key <= key; old = list[++at]) {
      if (++worked % STEP === 0) yield;
      if (old.key !== key) result.push(old);
    }
    if (++worked % STEP === 0) yield;
    const [name, item] = change;
    if (item !== undefined) result.push(ordered(name, item));
  }
  for (; at < list.length; at++) {
    if (++worked % STEP === 0) yield;
    result.push(list[at] as Ordered<T>);
  }
  return result;
}
