import { expect, it } from 'vitest';
import { prepareTests, readTestedRecords } from '../run-tests.js';
import { runMutants } from './run-mutants.js';

const NOW = Date.parse('2027-03-01T12:00:00Z');

/** Returns what becomes of the mutants of a tenant that nothing but one question is asked of. */
function statuses(condition: string, more = ''): string[] {
  const text = `version: 1
applications:
  app:
    resource_types: { doc: { actions: [read] } }
    resources: { d: { type: doc } }
    roles: { reader: { from_requests: false } }
    policies:
      p: { effect: ALLOW, resource_type: doc, actions: [read], condition: '${condition}', assigned_to: [role/app/reader] }
groups: { staff: { members: [user/ann], roles: [app/reader] }, empty: { roles: [app/reader] } }
subjects: { user/ann: {}, user/ben: {} }
${more}`;
  const test = 'tests: [{ name: n, subject: user:ben, action: read, resource: doc:d, expect: deny }]\n';
  const prepared = prepareTests(
    readTestedRecords([{ path: 'a.yaml', text }], NOW),
    [{ path: 'a.test.yaml', text: test }],
    { now: NOW },
  );
  return runMutants(prepared, NOW).flatMap(({ status, address, detail }) =>
    status === 'equivalent' || status === 'no_difference' ? [`${status}: ${address} ${detail}`] : [],
  );
}

const NOBODYS = 'equivalent: role_assignment/app/reader//group/empty removed';

it.each<[string, string, string, string[]]>([
  ['nothing of what makes a difference', 'context.n > 5', '', [NOBODYS]],
  [
    'a clause that another one implies, and what loosens it',
    'context.n > 5 && context.n > 3',
    '',
    [
      'equivalent: policy/app/p without the clause context.n > 3',
      'equivalent: policy/app/p with >= instead of > in context.n > 3',
      NOBODYS,
    ],
  ],
  [
    'a role that is held twice, either time',
    'context.n > 5',
    'role_assignments: [{ role: app/reader, to: user/ann }]\n',
    [
      NOBODYS,
      'equivalent: group_membership/staff//subject/user/ann removed',
      'equivalent: role_assignment/app/reader//group/staff removed',
      'equivalent: role_assignment/app/reader//subject/user/ann removed',
    ],
  ],
  [
    'not a role that is held twice, but once only from a time on',
    'context.n > 5',
    'role_assignments: [{ role: app/reader, to: user/ann, starts_at: "2027-01-01T00:00:00Z" }]\n',
    [
      NOBODYS,
      'equivalent: role_assignment/app/reader//subject/user/ann removed',
      'equivalent: role_assignment/app/reader//subject/user/ann without its beginning',
    ],
  ],
])('proves equivalent %s', (_, condition, more, expected) => {
  expect(statuses(condition, more).sort()).toEqual([...expected].sort());
});
