import { ProblemError } from '@authz-service/core/problem';

/** Failures in a row that are looked at before the party has to wait. */
const BURST = 10;
/** How long it takes until one failure is forgotten. */
const FORGET_MS = 1_000;
/** Parties remembered at once. One that is forgotten early has to fail again to be noticed. */
const PARTIES_MAX = 10_000;

/** Counts failures by party: ten at once, then one a second. */
export class FailureLimit {
  /** How many failures count, and since when, the one that failed longest ago first. */
  readonly #failures = new Map<string, { count: number; at: number }>();

  /** `now` gives milliseconds. */
  constructor(private readonly now: () => number) {}

  /** Throws `too_many_requests` where the party has to wait. */
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

  /** Failures that still count. A clock that is set back makes nobody wait longer. */
  #count(party: string): number {
    const known = this.#failures.get(party);
    if (known === undefined) return 0;
    const passed = Math.max(0, this.now() - known.at);
    return Math.max(0, known.count - passed / FORGET_MS);
  }
}
