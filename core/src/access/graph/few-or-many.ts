/** A set of things of which most have none or few; things are neither arrays nor sets themselves. */
export type FewOrMany<T extends object> = null | T | readonly T[] | Set<T>;

/** Up to this many are scanned faster than they are looked up. */
const FEW_MAX = 16;

export function itemsOf<T extends object>(set: FewOrMany<T>): Iterable<T> {
  if (set === null) return [];
  return set instanceof Set || isArray(set) ? set : [set];
}

/** The set with one more. Use the result only: the argument may have been changed. Throws where it has it already. */
export function withItem<T extends object>(set: FewOrMany<T>, item: T): FewOrMany<T> {
  if (set === null) return item;
  if (set instanceof Set) {
    if (set.has(item)) throw new Error('An item is added twice');
    return set.add(item);
  }
  const items: readonly T[] = isArray(set) ? set : [set];
  if (items.includes(item)) throw new Error('An item is added twice');
  return items.length < FEW_MAX ? items.concat(item) : new Set(items).add(item);
}

/** The set without the item. Throws where it has none. */
export function withoutItem<T extends object>(set: FewOrMany<T>, item: T): FewOrMany<T> {
  if (set instanceof Set) {
    if (!set.delete(item)) throw new Error('There is no such item');
    return set.size > 0 ? set : null;
  }
  const items = [...itemsOf(set)];
  const rest = items.filter((one) => one !== item);
  if (rest.length === items.length) throw new Error('There is no such item');
  return rest.length > 1 ? rest : (rest[0] ?? null);
}

function isArray<T extends object>(set: T | readonly T[]): set is readonly T[] {
  return Array.isArray(set);
}
