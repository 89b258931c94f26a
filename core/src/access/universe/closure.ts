import { ALWAYS, inBoth, isEmpty, type Period } from '../grants/period.js';
import { groupsOf } from '../graph/effective-principals.js';
import { includedIn } from '../graph/included-roles.js';
import type { Link, Principal } from '../graph/principal.js';
import type { PrincipalIds } from './principal-ids.js';

/** Whom a subject acts as in one state, and when: principals by number, in the order of these. */
export interface Closure {
  readonly ids: readonly number[];
  readonly periods: readonly (readonly Period[])[];
  /** The same for equal closures. */
  readonly key: string;
}

const ALWAYS_ONLY: readonly Period[] = [ALWAYS];

/**
 * Whom somebody acts as from `now` on (docs/semantics.md 2.1 to 2.3, 2.6, 9.2, 9.3): a subject, a member of everyone, and roles
 * that a request names.
 */
export function closureOf(
  subject: Principal | undefined,
  member: Principal | null,
  named: readonly Principal[],
  now: number,
  principals: PrincipalIds,
): Closure {
  const found = new Map<Principal, readonly Period[]>();
  if (subject !== undefined && (subject.grants !== null || subject.held !== null)) found.set(subject, ALWAYS_ONLY);
  const groups = groupsOf([...(subject?.groups ?? []), ...(member?.groups ?? [])]);
  for (const [group, periods] of groups) add(found, group, periods);
  hold(found, subject?.roles ?? [], ALWAYS_ONLY);
  for (const [group, periods] of groups) hold(found, group.roles ?? [], periods);
  for (const role of named) add(found, role, ALWAYS_ONLY);
  const activity = subject?.activity ?? null;
  return closed(activity === null ? found : within(found, activity), now, principals);
}

/** The same while a subject may act (docs/semantics.md 2.6). */
function within(
  found: ReadonlyMap<Principal, readonly Period[]>,
  activity: Period,
): ReadonlyMap<Principal, readonly Period[]> {
  const parts = (periods: readonly Period[]) =>
    periods.map((one) => inBoth(one, activity)).filter((one) => !isEmpty(one));
  return new Map([...found].map(([principal, periods]) => [principal, parts(periods)]));
}

function hold(found: Map<Principal, readonly Period[]>, links: readonly Link[], bounds: readonly Period[]): void {
  for (const { to, period } of links) {
    const periods =
      period === null ? bounds : bounds.map((bound) => inBoth(bound, period)).filter((one) => !isEmpty(one));
    if (periods.length === 0) continue;
    add(found, to, periods);
    for (const one of includedIn(to)) add(found, one, periods);
  }
}

function add(found: Map<Principal, readonly Period[]>, principal: Principal, periods: readonly Period[]): void {
  const known = found.get(principal);
  found.set(principal, known === undefined ? periods : [...known, ...periods]);
}

function closed(found: ReadonlyMap<Principal, readonly Period[]>, now: number, principals: PrincipalIds): Closure {
  const entries: (readonly [number, readonly Period[]])[] = [];
  for (const [principal, periods] of found) {
    const merged = periods === ALWAYS_ONLY ? periods : mergedFrom(periods, now);
    if (merged.length > 0) entries.push([principals.of(principal), merged]);
  }
  entries.sort(([left], [right]) => left - right);
  const key = entries
    .map(([id, periods]) => (periods === ALWAYS_ONLY ? `${id}` : `${id}@${textOf(periods)}`))
    .join(' ');
  return { ids: entries.map(([id]) => id), periods: entries.map(([, periods]) => periods), key };
}

function textOf(periods: readonly Period[]): string {
  return periods.map(({ start, end }) => `${start}~${end}`).join('+');
}

/** The periods as they count from `now` on: apart from each other, and in order. */
export function mergedFrom(periods: readonly Period[], now: number): readonly Period[] {
  const open = periods
    .filter(({ end }) => end > now)
    .map(({ start, end }) => ({ start: start <= now ? ALWAYS.start : start, end }))
    .sort((left, right) => left.start - right.start);
  const merged: { start: number; end: number }[] = [];
  for (const period of open) {
    const last = merged.at(-1);
    if (last !== undefined && period.start <= last.end) last.end = Math.max(last.end, period.end);
    else merged.push({ ...period });
  }
  const [only] = merged;
  return only !== undefined && only.start === ALWAYS.start && only.end === ALWAYS.end ? ALWAYS_ONLY : merged;
}
