/** Order numbers from the first to the last, both included. */
export interface OrderRange {
  first: number;
  last: number;
}

/** A set of order numbers, which is small while they follow each other. */
export class OrderRanges {
  /** Apart from each other, in order. */
  readonly #ranges: OrderRange[] = [];

  get first(): number | undefined {
    return this.#ranges[0]?.first;
  }

  get last(): number | undefined {
    return this.#ranges.at(-1)?.last;
  }

  has(order: number): boolean {
    const range = this.#ranges[this.#indexFrom(order)];
    return range !== undefined && range.first <= order;
  }

  add({ first, last }: OrderRange): void {
    const from = this.#indexFrom(first - 1);
    let to = from;
    let merged = { first, last };
    for (let range = this.#ranges[to]; range !== undefined && range.first <= last + 1; range = this.#ranges[++to]) {
      merged = { first: Math.min(merged.first, range.first), last: Math.max(merged.last, range.last) };
    }
    this.#ranges.splice(from, to - from, merged);
  }

  /** The numbers between the first and the last that are not in the set. */
  holes(): OrderRange[] {
    return this.#ranges.flatMap(({ last }, at) => {
      const next = this.#ranges[at + 1];
      return next === undefined ? [] : [{ first: last + 1, last: next.first - 1 }];
    });
  }

  /** The index of the first range that does not end before this number. */
  #indexFrom(order: number): number {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ranges[middle]?.last ?? 0) < order) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
