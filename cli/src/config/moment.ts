import { UsageError } from '../errors/usage-error.js';

/** The instant that a flag names, in milliseconds since the epoch; the present one without it. */
export function momentOf(text: string | undefined, flag = '--now'): number {
  if (text === undefined) return Date.now();
  const moment = /^\d{4}-\d\d-\d\dT/.test(text) && /(?:Z|[+-]\d\d:\d\d)$/i.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(moment)) {
    throw new UsageError(`${flag} "${text}" is not a time: write one like 2027-01-31T10:00:00Z.`);
  }
  return moment;
}
