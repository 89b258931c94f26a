/** A moment as a calendar and clock in some zone show it. */
export interface LocalTime {
  year: number;
  /** 1 to 12. */
  month: number;
  /** 1 to 31. */
  day: number;
  /** 0 (Sunday) to 6. */
  weekday: number;
  hour: number;
  minute: number;
  second: number;
}

/** The steps for `localTime` in a known zone. The system is asked again when the quarter of an hour is another one. */
export const ZONE_STEPS = 250;

const OFFSET = /^([+-])(\d\d):(\d\d)$/;

/**
 * Returns what clocks in `zone` (an IANA name, or an offset like `+02:00`) show at a moment, in milliseconds since the
 * epoch. Undefined where there is no such zone, or the moment is none.
 */
export function localTime(ms: number, zone: string): LocalTime | undefined {
  if (!(Math.abs(ms) < 8.64e15 - DAY_MS)) return undefined;
  if (zone === 'UTC') return fieldsOf(ms);
  const offset = OFFSET.exec(zone);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return fieldsOf(ms + (offset[1] === '-' ? -minutes : minutes) * 60_000);
  }
  const known = zoneOf(zone);
  return known && fieldsOf(ms + known.offset(ms));
}

const DAY_MS = 86_400_000;

function fieldsOf(ms: number): LocalTime {
  const date = new Date(ms);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}

/** Clocks are set only at full quarters of an hour, so that one offset holds for all of a quarter. */
const QUARTER_MS = 900_000;

/** One zone of the IANA database. Asking `Intl` takes ten microseconds, so the last answer is kept. */
class Zone {
  readonly #formatter: Intl.DateTimeFormat;
  #quarter = Number.NaN;
  #offset = 0;

  /** Throws a RangeError where there is no such zone. */
  constructor(name: string) {
    this.#formatter = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** How far local time is ahead of UTC, in milliseconds. */
  offset(ms: number): number {
    const quarter = Math.floor(ms / QUARTER_MS);
    if (quarter !== this.#quarter) {
      this.#offset = this.#ask(quarter * QUARTER_MS);
      this.#quarter = quarter;
    }
    return this.#offset;
  }

  #ask(ms: number): number {
    const parts = new Map(this.#formatter.formatToParts(ms).map(({ type, value }) => [type, value]));
    const part = (name: Intl.DateTimeFormatPartTypes) => Number(parts.get(name));
    const local = new Date(0);
    local.setUTCFullYear(parts.get('era') === 'BC' ? 1 - part('year') : part('year'), part('month') - 1, part('day'));
    local.setUTCHours(part('hour'), part('minute'), part('second'));
    return local.getTime() - ms;
  }
}

const zones = new Map<string, Zone>();
/** More zones than there are names of come only from requests that make them up. */
const ZONES_MAX = 1000;

function zoneOf(name: string): Zone | undefined {
  const known = zones.get(name);
  if (known !== undefined) return known;
  try {
    const made = new Zone(name);
    if (zones.size >= ZONES_MAX) zones.clear();
    zones.set(name, made);
    return made;
  } catch {
    return undefined;
  }
}
