import { setTimeout } from 'node:timers/promises';
import { ProblemError } from '@authz-service/core/problem';
import type { Log } from '../wire/log.js';

const PASSING: ReadonlySet<string> = new Set(['network', 'timeout', 'not_ready']);
/** How long a service that was there may be away, as when it restarts. */
const PATIENCE_MS = 45_000;
const PAUSE_MS = { first: 250, longest: 4_000 };

/**
 * Does the work, again and again while the service cannot be reached, for as long as a restart takes; the client's own
 * retries, which cover a moment, lie inside. The work must be harmless to repeat. Stops waiting when the signal aborts.
 */
export async function patiently<T>(work: () => Promise<T>, signal: AbortSignal, log: Log): Promise<T> {
  const endsAt = performance.now() + PATIENCE_MS;
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.longest)) {
    try {
      return await work();
    } catch (error) {
      const passing = error instanceof ProblemError && PASSING.has(error.code);
      if (!passing || signal.aborted || performance.now() + pauseMs > endsAt) throw error;
      log.log('warn', 'the service is away; trying again', { code: error.code, pauseMs });
      await setTimeout(pauseMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {
        throw error;
      });
    }
  }
}
