/** A held request is sent anew before the poll interval is over, so that the age of the last sync stays below it. */
const WAIT_SHARE = 0.8;
/** Below the time at which proxies give up a silent connection. */
const WAIT_SECONDS_MAX = 25;
const FIRST_BACKOFF_MS = 1000;
const BACKOFF_GROWTH = 4;
/** Failures in a row after which the poll interval holds again. */
const QUICK_FAILURES = 2;
/** By which share of the poll interval a fleet drifts apart at each failure. */
const DRIFT = 0.1;

/** One successful poll. */
interface Success {
  waitSeconds: number;
  elapsedMs: number;
  /** Whether the cloud said that it holds requests. */
  holds: boolean;
  /** Whether it brought another revision. */
  news: boolean;
}

/**
 * When to ask the cloud next. A cloud that holds requests is asked again at once; one that does not, every poll
 * interval. When the cloud goes away it is asked twice more soon, at random times ("full jitter"), so that a short
 * interruption costs little and a fleet of agents does not come back as one. From the third failure on it is asked every
 * poll interval and a little later: counts of failures, and what is said at every fifth, keep the measure that alerts are
 * set by.
 */
export class PollSchedule {
  readonly #waitSeconds: number;
  #failures = 0;
  /** Answers in a row that came early and brought nothing. */
  #idle = 0;
  #settled = false;
  #holds: boolean | undefined;

  constructor(
    private readonly pollIntervalMs: number,
    private readonly random: () => number = Math.random,
  ) {
    this.#waitSeconds = Math.min(WAIT_SECONDS_MAX, Math.floor((pollIntervalMs * WAIT_SHARE) / 1000));
  }

  /** Whether the cloud holds requests; undefined before the first that it might have held. */
  get holds(): boolean | undefined {
    return this.#holds;
  }

  /** For how long to let the cloud hold the next request: not while it is unknown whether it answers at all. */
  get waitSeconds(): number {
    return this.#settled ? this.#waitSeconds : 0;
  }

  /** Milliseconds from now to the next poll. */
  succeeded({ waitSeconds, elapsedMs, holds, news }: Success): number {
    this.#failures = 0;
    this.#settled = true;
    if (waitSeconds > 0) this.#holds = holds;
    if (this.#waitSeconds === 0 || this.#holds === false) return this.#rest(elapsedMs);
    if (news || waitSeconds === 0 || elapsedMs >= (waitSeconds * 1000) / 2) {
      this.#idle = 0;
      return 0;
    }
    // A cloud that is stopping lets go of what it holds; something between may only pretend to hold.
    return this.#jitter(this.#idle++);
  }

  /** `away`: no answer came, or none that means anything; else the cloud answered, and asking sooner would not help. */
  failed({ elapsedMs, away }: { elapsedMs: number; away: boolean }): number {
    this.#settled = false;
    const failuresBefore = this.#failures++;
    if (!away) return this.#rest(elapsedMs);
    if (failuresBefore < QUICK_FAILURES) return this.#jitter(failuresBefore);
    return this.#rest(elapsedMs) + this.random() * this.pollIntervalMs * DRIFT;
  }

  #rest(elapsedMs: number): number {
    return Math.max(0, this.pollIntervalMs - elapsedMs);
  }

  #jitter(attempt: number): number {
    return this.random() * Math.min(this.pollIntervalMs, FIRST_BACKOFF_MS * BACKOFF_GROWTH ** Math.min(attempt, 20));
  }
}
