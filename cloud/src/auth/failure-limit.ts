import { ProblemError } from '@authz-service/core/problem';

/** The number of consecutive failures after which the party has to wait. */
const BURST = 10;
/** The time after which one failure is forgotten. */
const FORGET_MS = 1_000;
/** The number of parties remembered. A party that is forgotten early has to fail again to be noticed. */
const PARTIES_MAX = 10_000;

/** Counts failures by party: it allows ten at once, then one a second. */
export class FailureLimit {
  /** The number of failures that count, and since when; the party whose last failure is oldest comes first. */
  readonly #failures = new Map<string, { count: number; at: number }>();

  /** `now` returns milliseconds. */
  constructor(private readonly now: () => number) {}

  /** Throws `too_many_requests` if the party has to wait. */
  assertOpen(party: string): void {
    const excess = this.#count(party) - BURST + 1;
    if (excess <= 0) return;
    const seconds = Math.ceil((excess * FORGET_MS) / 1000);
    const detail = `Too many wrong secrets came for this client from this address: wait ${seconds} s before the next one.`;
    throw new ProblemError('too_many_requests', detail, [], { retryAfterSeconds: seconds });
  }

  fail(party: string): void {
    const count = this.#count(party) + 1;
    this.#failures.delete(party);
    const [oldest] = this.#failures.keys();
    if (oldest !== undefined && this.#failures.size >= PARTIES_MAX) this.#failures.delete(oldest);
    this.#failures.set(party, { count, at: this.now() });
  }

  /** The failures that still count. Setting the clock back makes nobody wait longer. */
  #count(party: string): number {
    const known = this.#failures.get(party);
    if (known === undefined) return 0;
    const passed = Math.max(0, this.now() - known.at);
    return Math.max(0, known.count - passed / FORGET_MS);
  }
}
