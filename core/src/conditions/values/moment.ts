const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Whether milliseconds since the epoch lie in the years that CEL's timestamps have: 1 to 9999. */
export function isInCalendar(ms: number): boolean {
  return ms >= MOMENT_MIN && ms <= MOMENT_MAX;
}

const MOMENT_MIN = Date.parse('0001-01-01T00:00:00Z');
const MOMENT_MAX = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Milliseconds since the epoch of an RFC 3339 date and time with a zone, in the years 1 to 9999; undefined for any other text.
 */
export function parseMoment(text: string): number | undefined {
  const match = text.length <= 40 ? RFC3339.exec(text) : null;
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offsetHours = Number(match[9] ?? 0);
  const offsetMinutes = Number(match[10] ?? 0);
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined;
  const fraction = match[7] === undefined ? 0 : Math.trunc(Number(`0.${match[7]}`) * 1000);
  const offset = (match[8] === '-' ? -1 : 1) * (offsetHours * 60 + offsetMinutes);
  const ms = date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + fraction;
  return isInCalendar(ms) ? ms : undefined;
}

const UNIT_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000001,
};
const PART = /(\d{1,15}(?:\.\d{1,15})?)(h|ms|m|s|us|µs|ns)/y;

/** Milliseconds of a duration like `1h30m` or `-1.5s`; undefined for any other text. */
export function parseSpan(text: string): number | undefined {
  const signed = text.startsWith('-') || text.startsWith('+');
  PART.lastIndex = signed ? 1 : 0;
  if (text.length > 64 || PART.lastIndex === text.length) return undefined;
  let ms = 0;
  for (let end = PART.lastIndex; end < text.length; end = PART.lastIndex) {
    const match = PART.exec(text);
    if (match === null) return undefined;
    ms += Number(match[1]) * (UNIT_MS[match[2] as string] as number);
  }
  return text.startsWith('-') ? -ms : ms;
}
