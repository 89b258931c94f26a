import { type TimeWindow, WEEKDAYS } from '../../records/policy.js';
import { localTime } from './zone.js';

const MINUTES_A_DAY = 24 * 60;
/** By number, as calendars count: Sunday is 0. */
const NAMES = [...WEEKDAYS.slice(6), ...WEEKDAYS.slice(0, 6)];

/**
 * Whether a moment (milliseconds since the epoch) lies in a window, by the clocks of its zone: from `start`, to just
 * before `end`, on the next day where `end` is not after `start`. The days are those on which the window opens.
 * Undefined where there is no such zone.
 */
export function inTimeWindow(ms: number, window: TimeWindow): boolean | undefined {
  const local = localTime(ms, window.zone);
  if (local === undefined) return undefined;
  const minute = local.hour * 60 + local.minute;
  const start = minutes(window.start);
  const end = minutes(window.end);
  if (start < end) return minute >= start && minute < end && opensOn(window, local.weekday);
  if (minute >= start) return opensOn(window, local.weekday);
  return minute < end && opensOn(window, (local.weekday + 6) % 7);
}

function opensOn(window: TimeWindow, weekday: number): boolean {
  return window.days === undefined || window.days.some((day) => day === NAMES[weekday]);
}

function minutes(time: string): number {
  return (Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))) % MINUTES_A_DAY;
}
