/** A point of a tenant's history: a revision, by its number and perhaps its digest, or a time in milliseconds. */
export type HistoryPoint = { revision: number; digest?: string } | { time: number };

const REVISION = /^(0|[1-9]\d{0,14})(?:\.([0-9a-f]{16}))?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/i;

/** How to write a point. */
export const HISTORY_POINT_WORDS =
  'a revision like "42.9f86d081884c7d65" or "42", a time like "2026-03-01T12:00:00Z", or a date, which means its beginning in UTC';

/** Undefined if the text is neither a revision nor a time. */
export function historyPoint(text: string): HistoryPoint | undefined {
  const [, number, digest] = REVISION.exec(text) ?? [];
  if (number !== undefined) return { revision: Number(number), ...(digest !== undefined && { digest }) };
  const time = momentOf(text);
  return time === undefined ? undefined : { time };
}

/** The milliseconds of an RFC 3339 time, or of the beginning of a date in UTC. */
export function momentOf(text: string): number | undefined {
  if (!TIME.test(text) && !DATE.test(text)) return undefined;
  const time = Date.parse(text);
  // Of a day that its month does not have, Date.parse makes one of the next month.
  const isReal = DATE.test(text) ? new Date(time).toISOString().startsWith(text) : isRealDay(text.slice(0, 10));
  return Number.isNaN(time) || !isReal ? undefined : time;
}

function isRealDay(date: string): boolean {
  const time = Date.parse(date);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}
