import { setTimeout as pause } from 'node:timers/promises';
import { ProblemError } from '@authz-service/core/problem';
import { systemDetail } from '../errors/failure.js';
import type { Publisher, Round } from './publisher.js';

/** A tenant that is written all the time is never quiet; what is published then is good all the same. */
const ROUNDS_MAX = 20;
const FIRST_BACKOFF_MS = 500;

/** Publishes what the cloud has, until it has nothing newer. */
export async function publishOnce(publisher: Pick<Publisher, 'round'>): Promise<Round> {
  for (let rounds = 1; ; rounds++) {
    const round = await publisher.round(0);
    if (round.done || rounds >= ROUNDS_MAX) return round;
  }
}

export interface Watching {
  intervalMs: number;
  signal: AbortSignal;
  say(line: string): Promise<void>;
}

/**
 * Publishes each revision and renews the pointer every interval, until the signal aborts, with whose reason this rejects.
 * What fails is said, and tried again within the interval.
 */
export async function publishAgain(
  publisher: Pick<Publisher, 'round'>,
  { intervalMs, signal, say }: Watching,
): Promise<never> {
  let failures = 0;
  for (;;) {
    const startedAt = performance.now();
    try {
      const { revision, news } = await publisher.round(failures > 0 ? 0 : Math.max(1, Math.floor(intervalMs / 1000)));
      if (failures > 0) await say(`Publishing works again after ${failures} failed attempts.`);
      if (news) await say(`Published revision ${revision}.`);
      failures = 0;
      const restMs = startedAt + intervalMs - performance.now();
      // Not every cloud holds its answers, and one that stops does not either.
      if (!news && restMs > intervalMs / 2) await pause(restMs, undefined, { signal });
    } catch (error) {
      signal.throwIfAborted();
      const longest = Math.min(intervalMs, FIRST_BACKOFF_MS * 2 ** Math.min(failures, 10));
      failures++;
      await say(`Nothing was published: ${wordsOf(error)}`);
      await pause(longest / 2 + (Math.random() * longest) / 2, undefined, { signal });
    }
    signal.throwIfAborted();
  }
}

/** Throws what is no fault of the environment. */
function wordsOf(error: unknown): string {
  if (error instanceof ProblemError) return error.detail;
  if (error instanceof Error && 'syscall' in error) return systemDetail(error as NodeJS.ErrnoException);
  throw error;
}
