import { Failure } from '../values/outcome.js';
import { INT } from '../values/static-type.js';
import type { Moment, Result, Span, Value } from '../values/value.js';
import type { Work } from '../values/work.js';
import { type LocalTime, localTime, ZONE_STEPS } from '../values/zone.js';
import type { Overload } from './functions.js';

/** Days since the first of January. */
function dayOfYear({ year, month, day }: LocalTime): number {
  return (Date.UTC(year, month - 1, day) - Date.UTC(year, 0, 1)) / 86_400_000;
}

/** CEL's getters of a timestamp: months, days of the month and of the year count from 0, Sunday is 0. */
const FIELDS: { readonly [method: string]: (local: LocalTime) => number } = {
  getFullYear: (local) => local.year,
  getMonth: (local) => local.month - 1,
  getDate: (local) => local.day,
  getDayOfMonth: (local) => local.day - 1,
  getDayOfWeek: (local) => local.weekday,
  getDayOfYear: dayOfYear,
  getHours: (local) => local.hour,
  getMinutes: (local) => local.minute,
  getSeconds: (local) => local.second,
};

/** Getters of a duration return the whole duration in their unit. */
const UNITS_MS: { readonly [method: string]: number } = {
  getHours: 3_600_000,
  getMinutes: 60_000,
  getSeconds: 1000,
  getMilliseconds: 1,
};

/** The steps for reading the fields of a moment. */
const UTC_STEPS = 16;
/** The steps for a zone that comes with the request: the system looks up each name that is new or unknown. */
const ASKED_ZONE_STEPS = 2500;

const noZone = () => new Failure('the time zone is not one of the IANA database, like "Europe/Berlin"');

function inZone(field: (local: LocalTime) => number): Overload {
  const read = (moment: Moment, zone: string): Result => {
    const local = localTime(moment.ms, zone);
    return local === undefined ? noZone() : field(local);
  };
  return {
    takes: ['timestamp', 'string'],
    gives: INT,
    run: (work, moment: Moment, zone: string) => {
      work.charge(ASKED_ZONE_STEPS);
      return read(moment, zone);
    },
    prepare: (zone) => {
      if (localTime(0, zone as string) === undefined) return noZone();
      return (work, moment: Value) => {
        work.charge(ZONE_STEPS);
        return read(moment as Moment, zone as string);
      };
    },
  };
}

function ofMoment(name: string): readonly Overload[] {
  const field = FIELDS[name];
  if (field === undefined) return [];
  const inUtc = (work: Work, moment: Moment) => {
    work.charge(UTC_STEPS);
    return field(localTime(moment.ms, 'UTC') as LocalTime);
  };
  return [{ takes: ['timestamp'], gives: INT, run: inUtc }, inZone(field)];
}

function ofSpan(name: string): readonly Overload[] {
  const unit = UNITS_MS[name];
  return unit === undefined
    ? []
    : [{ takes: ['duration'], gives: INT, run: (_, span: Span) => Math.trunc(span.ms / unit) }];
}

const milliseconds: Overload = {
  takes: ['timestamp'],
  gives: INT,
  run: (_, moment: Moment) => ((Math.floor(moment.ms) % 1000) + 1000) % 1000,
};

export const timeMethods: readonly (readonly [string, readonly Overload[]])[] = [
  ...new Set([...Object.keys(FIELDS), ...Object.keys(UNITS_MS)]),
].map((name) => [name, [...ofMoment(name), ...(name === 'getMilliseconds' ? [milliseconds] : []), ...ofSpan(name)]]);
