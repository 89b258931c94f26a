import { isCurrent } from '../grants/period.js';
import type { Principal } from './principal.js';

/** Whether a subject is allowed nothing at that time, which is milliseconds since the epoch (docs/semantics.md 2.6). */
export function isSuspended({ activity }: Principal, now: number): boolean {
  return !isCurrent(activity, now);
}
