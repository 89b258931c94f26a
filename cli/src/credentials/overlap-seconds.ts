import { durationMs } from '@authz-service/core/values/duration';
import { UsageError } from '../errors/usage-error.js';

const DAYS_MAX = 30;

/** For how long a replaced secret stays good. Throws `UsageError`. */
export function overlapSeconds(text: string): number {
  const seconds = Math.round((durationMs(text) ?? 0) / 1000);
  if (seconds >= 1 && seconds <= DAYS_MAX * 24 * 60 * 60) return seconds;
  throw new UsageError(`--overlap "${text}" is not a duration from 1s to ${DAYS_MAX * 24}h: write one like "30m".`);
}
