import { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Analyzer } from './analyzer.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('bounds the time that the past takes to be read for a turn, ends the reading, and gives the next one their turn', async () => {
  const planner = new Analyzer(new TimeSlicing(() => performance.now()));
  const asked = { credential: { tenant: 'acme', id: 'ann' }, signal: new AbortController().signal };
  let reading: AbortSignal | undefined;
  const slow = planner.compare((signal) => {
    reading = signal;
    return new Promise<never>(() => undefined);
  }, asked);
  const next = planner.compare(() => Promise.reject(new Error('it is the turn of the next')), asked);
  const told = Promise.allSettled([slow, next]);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(reading?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reading?.aborted).toBe(true);
  expect(await told).toMatchObject([
    { reason: { code: 'timeout', detail: expect.stringContaining('60 seconds to find: run "servicectl impact') } },
    { reason: { message: 'it is the turn of the next' } },
  ]);
});
