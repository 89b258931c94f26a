import { setTimeout } from 'node:timers/promises';
import { ProblemError } from '@authz-service/core/problem';
import type { Log } from '../protocol/log.js';

const PASSING: ReadonlySet<string> = new Set(['network', 'timeout', 'not_ready']);
/** How long a service that has answered before may be away, for example to restart. */
const AWAY_MAX_MS = 45_000;
const PAUSE_MS = { first: 250, longest: 4_000 };

/**
 * Waits for a service that is away. All callers share one wait, so those that come later wait no longer than the
 * others.
 */
export class RetryPolicy {
  /** Since when nothing has been answered, by the monotonic clock; infinity once that took too long. */
  #awaySince: number | undefined;

  constructor(
    private readonly log: Log,
    private readonly awayMaxMs = AWAY_MAX_MS,
  ) {}

  /**
   * Repeats the work while the service cannot be reached, for as long as a restart takes; the client's own retries,
   * which cover a moment, happen inside. The work must be safe to repeat. Waiting stops when the signal aborts.
   */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.longest)) {
      try {
        const done = await work();
        this.#awaySince = undefined;
        return done;
      } catch (error) {
        if (!(error instanceof ProblemError && PASSING.has(error.code))) {
          this.#awaySince = undefined;
          throw error;
        }
        const now = performance.now();
        this.#awaySince ??= now;
        if (signal.aborted) throw error;
        if (now + pauseMs > this.#awaySince + this.awayMaxMs) {
          this.#awaySince = Number.NEGATIVE_INFINITY;
          throw error;
        }
        this.log.log('warn', 'the service is away; trying again', { code: error.code, pauseMs });
        await setTimeout(pauseMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {
          throw error;
        });
      }
    }
  }
}
