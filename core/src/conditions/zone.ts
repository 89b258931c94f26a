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

const OFFSET = /^([+-])(\d\d):(\d\d)$/;
const formatters = new Map<string, Intl.DateTimeFormat>();
/** More zones than there are names come only from requests that make them up. */
const FORMATTERS_MAX = 1000;

/**
 * What clocks in `zone` (an IANA name, or an offset like `+02:00`) show at a moment, in milliseconds since the epoch.
 * Undefined where there is no such zone.
 */
export function localTime(ms: number, zone: string): LocalTime | undefined {
  if (zone === 'UTC') return utcFields(ms);
  const offset = OFFSET.exec(zone);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return utcFields(ms + (offset[1] === '-' ? -minutes : minutes) * 60_000);
  }
  const formatter = formatterOf(zone);
  if (formatter === undefined || !Number.isFinite(ms) || Math.abs(ms) > 8.64e15) return undefined;
  const fields: { [part: string]: number } = {};
  for (const { type, value } of formatter.formatToParts(ms)) fields[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
  return { year, month, day, weekday, hour, minute, second };
}

function utcFields(ms: number): LocalTime {
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

function formatterOf(zone: string): Intl.DateTimeFormat | undefined {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  try {
    const made = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    if (formatters.size >= FORMATTERS_MAX) formatters.clear();
    formatters.set(zone, made);
    return made;
  } catch {
    return undefined;
  }
}
