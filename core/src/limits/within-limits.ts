import type { Limits } from '../records/limits.js';

/** The limits that credentials have, by the fields that say them. */
const SETS = ['stacks', 'applications'] as const;

/** Whether whoever has `inner` may write nothing that `outer` forbids. Absent limits contain all others. */
export function withinLimits(inner: Limits | undefined, outer: Limits | undefined): boolean {
  if (outer === undefined) return true;
  if (inner === undefined) return false;
  for (const set of SETS) {
    const allowed = outer[set];
    if (allowed !== undefined && !(inner[set]?.every((name) => allowed.includes(name)) ?? false)) return false;
  }
  const most = outer.priority_max;
  return most === undefined || (inner.priority_max !== undefined && inner.priority_max <= most);
}
