/** Clocks that are right differ by less. */
const LEAD_MS = 1000;
/** For so long after a commit the cloud is asked again and again whether its clock was right. */
const LEADS_MS = 60_000;

/**
 * The time for decisions: the machine's, but never earlier than the time that the cloud has signed plus the time that has
 * passed since. A slow clock must not extend a right beyond its end.
 */
export class DecisionClock {
  /**
   * The wall-clock time when the monotonic clock was zero, by the clock of the cloud: as the signature of what is served
   * implies, or a later statement by an earlier time.
   */
  #startedAtMs = Number.NEGATIVE_INFINITY;
  #issuedAtMs = Number.NEGATIVE_INFINITY;
  /** When what is served began to be, by the monotonic clock. */
  #servedAtMs = Number.NEGATIVE_INFINITY;

  /** In milliseconds since the epoch. */
  now(): number {
    return Math.max(Date.now(), this.#startedAtMs + performance.now());
  }

  /**
   * Whether decisions have lately begun to use a later time than this machine's: if the clock of the cloud was ahead, only
   * its next answer tells.
   */
  get leads(): boolean {
    return this.now() - Date.now() > LEAD_MS && performance.now() - this.#servedAtMs < LEADS_MS;
  }

  /** Something else is served, which was signed at this time. */
  serves(issuedAtMs: number): void {
    this.#servedAtMs = performance.now();
    this.#issuedAtMs = issuedAtMs;
    this.#startedAtMs = issuedAtMs - this.#servedAtMs;
  }

  /**
   * Notes that what is served was the newest at this time, by a statement of the cloud that was just signed (`isLive`) or
   * is read from a file. If that is before the time that leads, what is served was signed by a clock that was ahead.
   */
  correct(newestAtMs: number, isLive: boolean): void {
    const bound = isLive ? this.#startedAtMs + performance.now() - LEAD_MS : this.#issuedAtMs;
    if (newestAtMs < bound) this.#startedAtMs = newestAtMs - performance.now();
  }
}
