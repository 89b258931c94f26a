import { ProblemError } from '@authz-service/core/problem';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noteFailure } from './note-failure.js';
import { OutageLog } from './outage-log.js';

const MINUTE_MS = 60_000;
let lines: unknown[][];
const log = {
  info: (...line: unknown[]) => void lines.push(['info', ...line]),
  warn: (...line: unknown[]) => void lines.push(['warn', ...line]),
  error: (...line: unknown[]) => void lines.push(['error', ...line]),
};

beforeEach(() => {
  lines = [];
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

it('tells that an outage begins, each minute how often something failed, and that it has ended', () => {
  const outages = new OutageLog(log);
  const err = new Error('oops');
  outages.failed('the disk fails', { err });
  for (let times = 0; times < 3; times++) outages.failed('the disk fails', { err });
  outages.failed('the network fails', { err });
  expect(lines.splice(0)).toEqual([
    ['warn', { err }, 'the disk fails'],
    ['warn', { err }, 'the network fails'],
  ]);
  const since = '1970-01-01T00:00:00.000Z';
  vi.advanceTimersByTime(MINUTE_MS);
  expect(lines.splice(0)).toEqual([['warn', { failures_in_last_minute: 3, failures: 4, since }, 'the disk fails']]);
  vi.advanceTimersByTime(MINUTE_MS);
  expect(lines.splice(0)).toEqual([
    ['info', { failures: 4, since }, 'this has ended: the disk fails'],
    ['info', { failures: 1, since }, 'this has ended: the network fails'],
  ]);
  expect(vi.getTimerCount()).toBe(0);
  outages.failed('the disk fails', { err });
  expect(lines).toHaveLength(1);
  outages.end();
});

it('does not end before two minutes have passed without a failure, whenever it began', () => {
  const outages = new OutageLog(log);
  outages.failed('the network fails', {});
  vi.advanceTimersByTime(MINUTE_MS - 1);
  outages.failed('the disk fails', {});
  vi.advanceTimersByTime(MINUTE_MS + 1);
  expect(lines.map(([, , message]) => message)).toEqual([
    'the network fails',
    'the disk fails',
    'this has ended: the network fails',
  ]);
  vi.advanceTimersByTime(MINUTE_MS);
  expect(lines.at(-1)?.[2]).toBe('this has ended: the disk fails');
});

it('takes what the service cannot do now for an outage of its cause, and all else for a fault of its own', () => {
  const outages = new OutageLog(log);
  const note = (error: unknown) => noteFailure(error, '/v1/x', { log, outages });
  const cause = new Error('SQLITE_FULL');
  const lost = new ProblemError('storage_failed', 'The disk is full, and nothing was changed.', [], { cause });
  const gone = new ProblemError('storage_failed', 'The revocation log is gone: bring it back.');
  const late = new ProblemError('timeout', 'It took too long: choose a smaller scope.');
  for (let times = 0; times < 3; times++) {
    note(new ProblemError('not_ready', `Not for ${times} seconds.`));
    note(lost);
  }
  note(gone);
  note(new ProblemError('forbidden', 'No.'));
  expect(lines.splice(0)).toEqual([
    ['warn', { code: 'not_ready', route: '/v1/x' }, 'Not for 0 seconds.'],
    ['warn', { code: 'storage_failed', route: '/v1/x', err: cause }, lost.detail],
    ['warn', { code: 'storage_failed', route: '/v1/x' }, gone.detail],
  ]);
  const [fault, failed] = [new Error('oops'), new ProblemError('evaluation_failed', 'A condition failed.')];
  for (const error of [fault, fault, failed, late]) note(error);
  expect(lines).toEqual([
    ['error', { err: fault, route: '/v1/x' }, 'unexpected error'],
    ['error', { err: fault, route: '/v1/x' }, 'unexpected error'],
    ['error', { err: failed, route: '/v1/x' }, 'A condition failed.'],
    ['error', { err: late, route: '/v1/x' }, late.detail],
  ]);
  outages.end();
});
