/** Random choices that repeat with their seed: what a test found once, it finds again. */
export class Random {
  #state: number;

  constructor(readonly seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1, by the generator "mulberry32". */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** Up to so many different items. */
  some<T>(items: readonly T[], count: number): T[] {
    const left = [...items];
    return Array.from({ length: Math.min(count, items.length) }, () => left.splice(this.below(left.length), 1)[0] as T);
  }
}

/** The seed of `SERVICE_FAULT_SEED`, to repeat a run, or another one each time. */
export function chosenSeed(): number {
  return Number(process.env.SERVICE_FAULT_SEED ?? Math.floor(Math.random() * 2 ** 32));
}
