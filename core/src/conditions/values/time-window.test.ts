import { describe, expect, it } from 'vitest';
import type { TimeWindow } from '../../records/policy.js';
import { inTimeWindow } from './time-window.js';
import { localTime } from './zone.js';

const at = (text: string) => Date.parse(text);

describe('a time window', () => {
  const office: TimeWindow = { days: ['mon', 'fri'], start: '09:00', end: '17:30', zone: 'Europe/Berlin' };
  const night: TimeWindow = { days: ['sun'], start: '22:00', end: '02:00', zone: 'America/New_York' };
  const always: TimeWindow = { start: '00:00', end: '00:00', zone: 'UTC' };

  it.each([
    ['opens inclusive', office, '2026-01-16T08:00:00Z', true],
    ['is shut a moment before', office, '2026-01-16T07:59:59.999Z', false],
    ['closes exclusive', office, '2026-01-16T16:30:00Z', false],
    ['follows summer time', office, '2026-07-17T07:00:00Z', true],
    ['is shut on other days', office, '2026-01-14T10:00:00Z', false],
    ['takes the day of its zone, not of UTC', { ...office, zone: 'Pacific/Auckland' }, '2026-01-18T21:00:00Z', true],
    ['opens on its day in the evening', night, '2026-01-19T03:00:00Z', true],
    ['is open on the next day until its end', night, '2026-01-19T06:59:59Z', true],
    ['is shut at its end on the next day', night, '2026-01-19T07:00:00Z', false],
    ['is shut on its day before the evening', night, '2026-01-18T06:00:00Z', false],
    ['of a whole day never shuts', always, '2026-01-18T00:00:00Z', true],
    // Clocks go from 02:00 to 03:00 on 8 March 2026, and from 02:00 back to 01:00 on 1 November.
    ['over the hour that is left out', { ...night, days: ['sat'], end: '03:30' }, '2026-03-08T07:29:00Z', true],
    ['after the hour that is left out', { ...night, days: ['sat'], end: '03:30' }, '2026-03-08T07:30:00Z', false],
    ['in the first of the hour that comes twice', { ...night, days: ['sat'] }, '2026-11-01T05:59:00Z', true],
    ['in the second', { ...night, days: ['sat'] }, '2026-11-01T06:59:00Z', true],
    ['after the second', { ...night, days: ['sat'] }, '2026-11-01T07:00:00Z', false],
  ] satisfies [string, TimeWindow, string, boolean][])('%s', (_, window, text, open) => {
    expect(inTimeWindow(at(text), window)).toBe(open);
  });

  it('knows when there is no such zone', () => {
    expect(inTimeWindow(at('2026-01-16T08:00:00Z'), { ...office, zone: 'Mars/Olympus' })).toBeUndefined();
  });
});

describe('local time', () => {
  it('is what Intl tells, through every quarter of an hour around changes of clocks', () => {
    for (const zone of [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'Africa/Monrovia',
    ]) {
      const told = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
      for (const start of [
        '2026-03-07T00:00:00Z',
        '2026-03-28T00:00:00Z',
        '2026-04-04T00:00:00Z',
        '2026-10-31T00:00:00Z',
      ]) {
        for (let ms = at(start); ms < at(start) + 3 * 86_400_000; ms += 899_000) {
          const local = localTime(ms, zone);
          const two = (part: number | undefined) => String(part).padStart(2, '0');
          const date = `${local?.year}-${two(local?.month)}-${two(local?.day)}`;
          expect(`${date} ${two(local?.hour)}:${two(local?.minute)}:${two(local?.second)}`).toBe(told.format(ms));
        }
      }
    }
  });

  it.each([
    ['before Christ', -62_198_755_200_000, 'Europe/Berlin', { year: -1, month: 1 }],
    ['at an offset', 0, '-02:30', { year: 1969, month: 12, day: 31, weekday: 3, hour: 21, minute: 30 }],
  ])('%s', (_, ms, zone, fields) => {
    expect(localTime(ms, zone)).toMatchObject(fields);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 8.64e15])('there is none at %s', (ms) => {
    expect(localTime(ms, 'Europe/Berlin')).toBeUndefined();
    expect(localTime(ms, 'UTC')).toBeUndefined();
  });
});
