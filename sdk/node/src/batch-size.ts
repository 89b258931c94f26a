/** The time after a refusal until a larger size is tried: other questions may be asked by then, or the server has changed. */
const TRIED_AGAIN_MS = 60_000;

/** How large a batch may be: as large as is allowed, until one is refused; then by halves between what was taken and refused. */
export class BatchSize {
  readonly #most: number;
  readonly #now: () => number;
  #taken = 0;
  #refused = Number.POSITIVE_INFINITY;
  #refusedAt = 0;

  /** `now` gives milliseconds. */
  constructor(most: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#now = now;
  }

  get limit(): number {
    if (this.#now() - this.#refusedAt > TRIED_AGAIN_MS) {
      this.#refused *= 2;
      this.#refusedAt = this.#now();
    }
    return Math.max(1, Math.min(this.#most, Math.floor((this.#taken + this.#refused) / 2)));
  }

  took(size: number): void {
    if (size > this.#taken && size < this.#refused) this.#taken = size;
  }

  refused(size: number): void {
    this.#refused = Math.min(size, this.#refused);
    this.#refusedAt = this.#now();
    if (this.#taken >= this.#refused) this.#taken = 0;
  }
}
