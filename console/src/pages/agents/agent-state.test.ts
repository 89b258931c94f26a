import { expect, it } from 'vitest';
import { stateOf } from './agent-state.js';

const REPORT = { expired: false, diverged: false, lag: 0, error: null, publishes: false };

it.each([
  ['newest', {}],
  ['behind', { lag: 2 }],
  ['behind', { lag: 2, error: 'network' }],
  ['failing', { error: 'network' }],
  ['nothing', { lag: null }],
  ['diverged', { lag: null, diverged: true }],
  ['expired', { lag: 3, expired: true }],
  ['publishes', { publishes: true }],
  ['behind', { publishes: true, lag: 1 }],
])('an agent is %s that reports %j', (state, report) => {
  expect(stateOf({ ...REPORT, ...report })).toBe(state);
});
