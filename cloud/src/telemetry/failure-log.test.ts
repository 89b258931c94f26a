import { ProblemError } from '@authz-service/core/problem';
import { expect, it } from 'vitest';
import { FailureLog } from './failure-log.js';

it('tells a state of the service once a minute, and every fault with its stack', () => {
  let now = 0;
  const lines: unknown[][] = [];
  const log = {
    warn: (fields: unknown, text?: string) => void lines.push(['warn', fields, text]),
    error: (fields: unknown, text?: string) => void lines.push(['error', fields, text]),
  };
  const failures = new FailureLog(() => now);
  const note = (error: unknown) => failures.note(error, '/v1/x', log);
  const state = new ProblemError('not_ready', 'Not yet.');
  note(new ProblemError('forbidden', 'No.'));
  for (let time = 0; time < 3; time++) note(state);
  note(new ProblemError('behind_revision', 'Behind.'));
  now = 60_000;
  note(state);
  expect(lines.splice(0)).toEqual([
    ['warn', { code: 'not_ready', route: '/v1/x' }, 'Not yet.'],
    ['warn', { code: 'behind_revision', route: '/v1/x' }, 'Behind.'],
    ['warn', { code: 'not_ready', route: '/v1/x', refused_since_last_line: 2 }, 'Not yet.'],
  ]);
  const [fault, lost] = [new Error('oops'), new ProblemError('storage_failed', 'The disk is full.')];
  for (const error of [fault, fault, lost]) note(error);
  expect(lines).toEqual([
    ['error', { err: fault, route: '/v1/x' }, 'unexpected error'],
    ['error', { err: fault, route: '/v1/x' }, 'unexpected error'],
    ['error', { err: lost, route: '/v1/x' }, 'The disk is full.'],
  ]);
});
