import { expect, it } from 'vitest';
import { record } from '../../../../testing/reviewed-records.js';
import { endedSuspensions } from './ended-suspensions.js';

const NOW = Date.parse('2027-01-01T00:00:00Z');
const carol = (more: object) => record('subject', { type: 'user', id: 'carol', ...more });
const lead = record('role', { name: 'lead' });
const kept = record('role', { name: 'kept', from_requests: false });
const gaps = (before: object, after: object | undefined, role = lead) =>
  endedSuspensions({ records: [carol(before), role] }, { records: after ? [role, carol(after)] : [role] }, NOW);
const GAP =
  'user/carol is suspended no longer, or not as long, and what requests get then by naming role/lead for such subjects was not looked at.';
const EARLY = { suspended_until: '2027-01-02T00:00:00Z' };
const LATE = { suspended_until: '2027-01-03T00:00:00Z' };

it.each([
  ['ends', { suspended: true }, {}],
  ['gets an end', { suspended: true }, EARLY],
  ['ends sooner', LATE, EARLY],
  ['goes with the record', { suspended: true }, undefined],
])('says that a suspension %s where requests may name a role', (_, before, after) => {
  expect(gaps(before, after)).toEqual([GAP]);
  expect(gaps(before, after, kept)).toEqual([]);
});

it.each([
  ['stays', { suspended: true }, { suspended: true }],
  ['ends later', EARLY, LATE],
  ['has no end any more', EARLY, { suspended: true }],
  ['begins', {}, { suspended: true }],
  ['is over', { suspended_until: '2026-01-02T00:00:00Z' }, {}],
])('says nothing of a suspension that %s', (_, before, after) => {
  expect(gaps(before, after)).toEqual([]);
});

it('counts subjects and roles beyond three', () => {
  const many = [...Array(5).keys()].map((id) => record('subject', { type: 'user', id: `u${id}`, suspended: true }));
  const roles = [...Array(4).keys()].map((name) => record('role', { name: `r${name}` }));
  expect(endedSuspensions({ records: many }, { records: roles }, NOW)[0]).toMatch(
    /^user\/u0, user\/u1, user\/u2 and 2 more subjects are .* naming role\/r0, role\/r1, role\/r2 and 1 more role for/,
  );
});
