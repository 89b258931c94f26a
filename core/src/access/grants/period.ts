/**
 * When a link counts, in milliseconds since the epoch: from `start` until just before `end` (docs/semantics.md 2.5).
 */
export interface Period {
  readonly start: number;
  readonly end: number;
}

export const ALWAYS: Period = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };
const NEVER: Period = { start: 0, end: 0 };

/** Links that always count have no period: so most need no memory for one, and are told in one comparison. */
export type LinkPeriod = Period | null;

/** A moment that cannot be parsed leaves no time in which the link counts. */
export function periodOf(link: { starts_at?: string | undefined; expires_at?: string | undefined }): LinkPeriod {
  const { starts_at, expires_at } = link;
  if (starts_at === undefined && expires_at === undefined) return null;
  const start = starts_at === undefined ? ALWAYS.start : Date.parse(starts_at);
  const end = expires_at === undefined ? ALWAYS.end : Date.parse(expires_at);
  return start < end ? { start, end } : NEVER;
}

/** The fields of a subject that say whether it is suspended. */
interface Suspension {
  suspended?: boolean | undefined;
  suspended_until?: string | undefined;
}

/** When a subject may act by its record: while it is not suspended (docs/semantics.md 2.6). */
export function activityOf({ suspended, suspended_until }: Suspension): LinkPeriod {
  return suspended ? NEVER : periodOf({ starts_at: suspended_until });
}

/** Whether subjects may act at the same times; one without a record may always. */
export function sameActivity(one: Suspension | undefined, other: Suspension | undefined): boolean {
  const [first, second] = [activityOf(one ?? {}) ?? ALWAYS, activityOf(other ?? {}) ?? ALWAYS];
  return first.start === second.start && first.end === second.end;
}

export function isCurrent(period: LinkPeriod, now: number): boolean {
  return period === null || (now >= period.start && now < period.end);
}

export function isEmpty({ start, end }: Period): boolean {
  return start >= end;
}

/** When both count: the result may be empty. */
export function inBoth(first: Period, second: Period): Period {
  if (contains(first, second)) return second;
  if (contains(second, first)) return first;
  return { start: Math.max(first.start, second.start), end: Math.min(first.end, second.end) };
}

export function contains(outer: Period, inner: Period): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}
