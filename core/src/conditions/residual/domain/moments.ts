import type { TimeWindow } from '../../../records/policy.js';
import { localTime } from '../../values/zone.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** The first and last moments that timestamps have. */
export const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
export const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Moments in milliseconds that stand for all, between two ends; whether they do is `complete`. */
export interface Moments {
  readonly moments: readonly number[];
  readonly complete: boolean;
}

/** The moments that these boundaries and windows tell apart. */
export function momentsFor(
  boundaries: readonly number[],
  windows: readonly TimeWindow[],
  from = FIRST_MS,
  until = LAST_MS + 1,
): Moments {
  const inside = (ms: number) => ms >= from && ms < until;
  const edges = [...new Set([from, ...boundaries.map(Math.ceil).filter((ms) => ms > from && ms < until), until])].sort(
    (left, right) => left - right,
  );
  const moments = new Set<number>();
  let complete = boundaries.every(Number.isInteger) && new Set(windows.map(({ zone }) => zone)).size <= 1;
  const minutes = windows.length === 0 ? [] : edgesOfWindows(windows);
  for (let at = 0; at + 1 < edges.length; at++) {
    const [start, end] = [edges[at] as number, edges[at + 1] as number];
    for (const ms of [start, start + 1, Math.floor((start + end) / 2)]) if (inside(ms) && ms < end) moments.add(ms);
    if (minutes.length === 0) continue;
    const found = weekWithin(start, end, (windows[0] as TimeWindow).zone);
    complete &&= found.normal;
    for (const minute of minutes) {
      const ms = found.monday + minute * MINUTE_MS;
      if (ms >= start && ms < end) moments.add(ms);
    }
  }
  return { moments: [...moments], complete };
}

/** The minutes of a week, from Monday on, at which a window opens or closes on some day. */
function edgesOfWindows(windows: readonly TimeWindow[]): number[] {
  const found = new Set<number>();
  for (const { start, end } of windows)
    for (const time of ['00:00', start, end])
      for (let day = 0; day < 7; day++)
        found.add((day * 24 + Number(time.slice(0, 2))) * 60 + Number(time.slice(3, 5)));
  return [...found];
}

/** When a week begins, by the clocks of a zone, in which no clock is set; the start itself, where there is none. */
function weekWithin(start: number, end: number, zone: string): { monday: number; normal: boolean } {
  // What lies far from now is no better witness than what lies near.
  const near = Math.max(start, Math.min(Date.UTC(2026, 0, 1), end - 60 * WEEK_MS));
  for (let tried = 0; tried < 60; tried++) {
    const monday = mondayAfter(near + tried * WEEK_MS, zone);
    if (monday === undefined || monday + WEEK_MS > end) break;
    if (monday >= start && hasFixedClocks(monday, zone)) return { monday, normal: true };
  }
  return { monday: mondayAfter(start - WEEK_MS, zone) ?? start, normal: false };
}

function mondayAfter(ms: number, zone: string): number | undefined {
  const day = Math.floor(ms / DAY_MS) * DAY_MS + DAY_MS;
  const local = localTime(day, zone);
  if (local === undefined) return undefined;
  const sinceMonday = (((local.weekday + 6) % 7) * 24 + local.hour) * 60 + local.minute;
  return day - sinceMonday * MINUTE_MS + (sinceMonday === 0 ? 0 : WEEK_MS);
}

function hasFixedClocks(monday: number, zone: string): boolean {
  for (let day = 0; day <= 7; day++) {
    const local = localTime(monday + day * DAY_MS, zone);
    if (local === undefined || local.hour !== 0 || local.minute !== 0 || local.weekday !== (1 + day) % 7) return false;
  }
  return true;
}

/** Texts of a moment, of which none is one of `taken`. */
export function momentTexts(ms: number, each: number, taken: ReadonlySet<string>): string[] {
  const text = new Date(ms).toISOString();
  const whole = text.replace('.000Z', 'Z');
  const texts = [
    whole,
    whole.replace('T', 't'),
    whole.replace('Z', 'z'),
    whole.replace('Z', '+00:00'),
    whole.replace('Z', '-00:00'),
  ];
  return [...new Set(texts)].filter((one) => !taken.has(one)).slice(0, each);
}
