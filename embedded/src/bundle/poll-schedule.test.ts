import { describe, expect, it } from 'vitest';
import { PollSchedule } from './poll-schedule.js';

/** The random source that gives the longest wait. */
const schedule = (pollIntervalMs = 30_000) => new PollSchedule(pollIntervalMs, () => 1);
const held = { holds: true, news: false };

describe('PollSchedule', () => {
  it('asks without a wait first, then lets the cloud hold each request for less than the poll interval', () => {
    const own = schedule();
    expect(own.waitSeconds).toBe(0);
    expect(own.succeeded({ waitSeconds: 0, elapsedMs: 5, holds: false, news: true })).toBe(0);
    expect(own.waitSeconds).toBe(24);
    expect(own.holds).toBeUndefined();
    expect(own.succeeded({ waitSeconds: 24, elapsedMs: 24_000, ...held })).toBe(0);
    expect(own.succeeded({ waitSeconds: 24, elapsedMs: 3, holds: true, news: true })).toBe(0);
    expect(own.holds).toBe(true);
  });

  it.each([
    [50, 0],
    [1_000, 0],
    [2_000, 1],
    [10_000, 8],
    [3_600_000, 25],
  ])('with a poll interval of %i ms lets it hold %i s', (pollIntervalMs, seconds) => {
    const own = schedule(pollIntervalMs);
    own.succeeded({ waitSeconds: 0, elapsedMs: 0, ...held });
    expect(own.waitSeconds).toBe(seconds);
  });

  it('keeps to the poll interval with a cloud that does not hold, and notices when it begins to', () => {
    const own = schedule();
    own.succeeded({ waitSeconds: 0, elapsedMs: 5, holds: false, news: true });
    expect(own.succeeded({ waitSeconds: 24, elapsedMs: 5, holds: false, news: false })).toBe(29_995);
    expect(own.succeeded({ waitSeconds: 24, elapsedMs: 5, holds: false, news: true })).toBe(29_995);
    expect(own.succeeded({ waitSeconds: 24, elapsedMs: 24_000, ...held })).toBe(0);
  });

  it('keeps to the poll interval or a little less with files, which nobody holds', () => {
    const own = new PollSchedule(30_000, () => 1, true);
    expect([own.waitSeconds, own.holds]).toEqual([0, false]);
    expect(own.succeeded({ waitSeconds: 0, elapsedMs: 1000, holds: false, news: true })).toBe(26_100);
    expect([own.waitSeconds, own.holds]).toEqual([0, false]);
    const late = new PollSchedule(30_000, () => 0, true);
    expect(late.succeeded({ waitSeconds: 0, elapsedMs: 1000, holds: false, news: false })).toBe(29_000);
    expect(late.failed({ elapsedMs: 0, away: true })).toBe(0);
  });

  it('keeps to the poll interval where that is too short to hold anything', () => {
    const own = schedule(50);
    expect(own.succeeded({ waitSeconds: 0, elapsedMs: 20, holds: false, news: true })).toBe(30);
    expect(own.succeeded({ waitSeconds: 0, elapsedMs: 80, holds: false, news: false })).toBe(0);
  });

  it('does not ask again and again at once what only pretends to hold', () => {
    const own = schedule();
    own.succeeded({ waitSeconds: 0, elapsedMs: 5, ...held });
    const early = () => own.succeeded({ waitSeconds: 24, elapsedMs: 5, ...held });
    expect(Array.from({ length: 9 }, early)).toEqual([1000, 4000, 16_000, ...Array(6).fill(30_000)]);
    expect(own.succeeded({ waitSeconds: 24, elapsedMs: 24_000, ...held })).toBe(0);
    expect(early()).toBe(1000);
  });

  it('asks a cloud that went away soon and at random twice, then every poll interval and a little later', () => {
    const own = schedule();
    const away = () => own.failed({ elapsedMs: 0, away: true });
    expect(Array.from({ length: 5 }, away)).toEqual([1000, 6000, 33_000, 33_000, 33_000]);
    own.succeeded({ waitSeconds: 0, elapsedMs: 0, ...held });
    expect(away()).toBe(1000);
    const luckier = new PollSchedule(30_000, () => 0.25);
    expect([1, 2].map(() => luckier.failed({ elapsedMs: 0, away: true }))).toEqual([250, 3750]);
    expect(schedule(20).failed({ elapsedMs: 0, away: true })).toBe(20);
  });

  it.each([
    ['at its luckiest', 0, 30_000],
    ['at its unluckiest', 0.999, 30_000],
    ['with attempts that take long', 0, 100],
  ])('never asks more often than every poll interval from the third failure on, %s', (_, luck, pollIntervalMs) => {
    const own = new PollSchedule(pollIntervalMs, () => luck);
    const elapsedMs = 50;
    own.failed({ elapsedMs, away: true });
    own.failed({ elapsedMs, away: false });
    for (let more = 0; more < 10; more++) {
      expect(elapsedMs + own.failed({ elapsedMs, away: true })).toBeGreaterThanOrEqual(pollIntervalMs);
    }
  });

  it('keeps to the poll interval where the cloud answers what cannot be used', () => {
    expect(schedule().failed({ elapsedMs: 1_000, away: false })).toBe(29_000);
  });

  it('does not have the request after a failure held', () => {
    const own = schedule();
    own.succeeded({ waitSeconds: 0, elapsedMs: 0, ...held });
    own.failed({ elapsedMs: 0, away: true });
    expect(own.waitSeconds).toBe(0);
  });
});
