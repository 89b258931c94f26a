import type { Quota } from './read-quotas.js';

/** The parties remembered. One that is forgotten early begins anew with all of its quota. */
const PARTIES_MAX = 100_000;

interface Bucket {
  left: number;
  at: number;
}

/** A token bucket for each party: it holds the quota, and is filled evenly in the quota's time. */
export class Buckets {
  /** The party that was longest not heard of comes first. */
  readonly #buckets = new Map<string, Bucket>();
  /** Who took the last of what was left, and may take more. */
  readonly #beyond = new WeakSet<object>();
  readonly #perMs: number;

  /** `clock` returns monotonic milliseconds. */
  constructor(
    readonly quota: Quota,
    private readonly clock: () => number,
  ) {
    this.#perMs = quota.amount / (quota.seconds * 1000);
  }

  /**
   * How long the party has to wait for this cost, in milliseconds; 0 if it can be taken. What costs more than the whole
   * quota is let through when that is full, and then waited for: a large change-set must not be impossible for ever.
   */
  waitMs(party: string, cost: number): number {
    const missing = Math.min(cost, this.quota.amount) - this.#left(party);
    return missing <= 0 ? 0 : missing / this.#perMs;
  }

  take(party: string, cost: number): void {
    const left = this.#left(party) - cost;
    this.#buckets.delete(party);
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined && this.#buckets.size >= PARTIES_MAX) this.#buckets.delete(oldest);
    this.#buckets.set(party, { left, at: this.clock() });
  }

  /**
   * Takes a part of what costs nobody knows how much yet. Who takes the last of it may go on, for what is larger than the
   * quota must be possible; others wait. Returns for how many milliseconds, having taken nothing, or 0.
   */
  takePart(party: string, cost: number, whose: object): number {
    const left = this.#left(party);
    if (left <= 0 && !this.#beyond.has(whose)) return this.waitMs(party, cost);
    if (left <= cost) this.#beyond.add(whose);
    this.take(party, cost);
    return 0;
  }

  /** Returns what the party has left, in whole units, and in how many seconds it has all of the quota again. */
  reading(party: string): { left: number; fullInSeconds: number } {
    const left = this.#left(party);
    const fullInSeconds = Math.ceil((this.quota.amount - left) / this.#perMs / 1000);
    return { left: Math.max(0, Math.floor(left)), fullInSeconds };
  }

  #left(party: string): number {
    const { amount } = this.quota;
    const bucket = this.#buckets.get(party);
    if (bucket === undefined) return amount;
    return Math.min(amount, bucket.left + (this.clock() - bucket.at) * this.#perMs);
  }
}
