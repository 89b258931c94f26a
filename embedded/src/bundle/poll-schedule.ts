/** A held request is repeated before the poll interval is over, so that the age of the last sync stays below it. */
const WAIT_SHARE = 0.8;
/** Shorter than the time after which proxies drop a silent connection. */
const WAIT_SECONDS_MAX = 25;
const FIRST_BACKOFF_MS = 1000;
const BACKOFF_GROWTH = 4;
/**
 * The milliseconds after the first failures within which a cloud that is away is asked again, before the poll interval
 * applies: another replica may be there at once, and one that restarts is back after some seconds.
 */
const QUICK_RETRIES = [
  { from: 0, to: 1000 },
  { from: 3000, to: 6000 },
];
/** The share of the poll interval by which a fleet spreads out at each failure. */
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
 * Decides when to ask the cloud next. A cloud that holds requests is asked again at once, and one that does not, every
 * poll interval. If the cloud goes away, it is asked twice more soon, at random times, so that a short interruption
 * costs little and a fleet of agents does not return all at once. From the third failure on it is asked
 * every poll interval and a little later, so that failure counts, and the message at every fifth, keep the pace that
 * alerts are based on.
 */
export class PollSchedule {
  readonly #waitSeconds: number;
  #failures = 0;
  /** The number of consecutive answers that came early and brought nothing. */
  #idle = 0;
  #settled = false;
  #holds: boolean | undefined;

  /** `isStatic`: files are asked for, which nobody holds back. */
  constructor(
    private readonly pollIntervalMs: number,
    private readonly random: () => number = Math.random,
    private readonly isStatic = false,
  ) {
    this.#waitSeconds = isStatic ? 0 : Math.min(WAIT_SECONDS_MAX, Math.floor((pollIntervalMs * WAIT_SHARE) / 1000));
    if (isStatic) this.#holds = false;
  }

  /** Whether the cloud holds requests; undefined before the first one that it could have held. */
  get holds(): boolean | undefined {
    return this.#holds;
  }

  /** How long the cloud may hold the next request: not at all while it is unknown whether it answers. */
  get waitSeconds(): number {
    return this.#settled ? this.#waitSeconds : 0;
  }

  /** Milliseconds from now to the next poll. */
  succeeded({ waitSeconds, elapsedMs, holds, news }: Success): number {
    this.#failures = 0;
    this.#settled = true;
    if (waitSeconds > 0) this.#holds = holds;
    // A fleet that was started at once does not ask a web server at once for ever.
    if (this.isStatic) return this.#rest(elapsedMs) * (1 - this.random() * DRIFT);
    if (this.#waitSeconds === 0 || this.#holds === false) return this.#rest(elapsedMs);
    if (news || waitSeconds === 0 || elapsedMs >= (waitSeconds * 1000) / 2) {
      this.#idle = 0;
      return 0;
    }
    // A cloud that is stopping releases held requests; a proxy on the way may only pretend to hold them.
    return this.#jitter(this.#idle++);
  }

  /** `away`: no answer came, or a meaningless one. Otherwise the cloud answered, and asking sooner would not help. */
  failed({ elapsedMs, away }: { elapsedMs: number; away: boolean }): number {
    this.#settled = false;
    const failuresBefore = this.#failures++;
    if (!away) return this.#rest(elapsedMs);
    const retry = QUICK_RETRIES[failuresBefore];
    if (retry) return Math.min(this.pollIntervalMs, retry.from + this.random() * (retry.to - retry.from));
    return this.#rest(elapsedMs) + this.random() * this.pollIntervalMs * DRIFT;
  }

  #rest(elapsedMs: number): number {
    return Math.max(0, this.pollIntervalMs - elapsedMs);
  }

  #jitter(attempt: number): number {
    return this.random() * Math.min(this.pollIntervalMs, FIRST_BACKOFF_MS * BACKOFF_GROWTH ** Math.min(attempt, 20));
  }
}
