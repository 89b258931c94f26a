interface Kept<T> {
  readonly item: T;
  readonly weight: number;
}

/** A cache of what was used last, bounded by the weight of all of it. */
export class Recent<T> {
  readonly #items = new Map<string, Kept<T>>();
  #weight = 0;

  constructor(private readonly weightMax: number) {}

  get(key: string): T | undefined {
    const kept = this.#items.get(key);
    if (kept === undefined) return undefined;
    // A map keeps the order of insertion: the first one is the one longest unused.
    this.#items.delete(key);
    this.#items.set(key, kept);
    return kept.item;
  }

  keep(key: string, item: T, weight: number): void {
    if (this.#items.has(key)) return;
    this.#items.set(key, { item, weight: 1 + weight });
    this.#weight += 1 + weight;
    for (const [oldest, kept] of this.#items) {
      if (this.#weight <= this.weightMax) return;
      this.#items.delete(oldest);
      this.#weight -= kept.weight;
    }
  }
}
