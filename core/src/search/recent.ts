/** A cache of the lists used last, bounded by the number of items in all of them. */
export class Recent<T> {
  readonly #lists = new Map<string, readonly T[]>();
  #held = 0;

  constructor(private readonly itemsMax: number) {}

  get(key: string): readonly T[] | undefined {
    const list = this.#lists.get(key);
    if (list === undefined) return undefined;
    // A map keeps the order of insertion: the first one is the one longest unused.
    this.#lists.delete(key);
    this.#lists.set(key, list);
    return list;
  }

  keep(key: string, list: readonly T[]): void {
    if (this.#lists.has(key)) return;
    this.#lists.set(key, list);
    this.#held += 1 + list.length;
    for (const [oldest, items] of this.#lists) {
      if (this.#held <= this.itemsMax) return;
      this.#lists.delete(oldest);
      this.#held -= 1 + items.length;
    }
  }
}
