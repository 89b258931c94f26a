import { describe, expect, it } from 'vitest';
import { readManifest } from '../../manifest/read.js';
import { lintRecords } from './lint-records.js';

const NOW = Date.parse('2027-01-31T10:00:00Z');

/** A tenant in which everything is used, with more policies. */
function linted(policies: string, more = ''): string[] {
  const text = `version: 1
applications:
  app:
    resource_types: { doc: { actions: [read, edit] } }
    resources: { d1: { type: doc, properties: { state: open } } }
    roles: { r: {}, s: {} }
    policies:
      base: { effect: ALLOW, resource_type: doc, actions: [edit], assigned_to: [role/app/r, role/app/s] }
${policies}
groups: { g: { members: [user/a] } }
subjects: { user/a: { roles: [app/r, app/s] } }
${more}`;
  const { manifest, faults } = readManifest([{ path: 'a.yaml', text }]);
  expect(faults).toEqual([]);
  return lintRecords(manifest?.records ?? [], NOW).map(
    ({ rule, certainty, address }) => `${certainty} ${rule} ${address}`,
  );
}

const policy = (name: string, rest: string, effect = 'ALLOW', to = 'role/app/r') =>
  `      ${name}: { effect: ${effect}, resource_type: doc, actions: [read], assigned_to: [${to}], ${rest} }\n`;

describe('lint', () => {
  it.each<[string, string, string[]]>([
    ['nothing where all is used', policy('p', ''), []],
    [
      'a condition that no request meets',
      policy('p', 'condition: context.n > 5 && context.n < 3'),
      ['proven vacuous-policy policy/app/p'],
    ],
    [
      'a condition of an ALLOW that is never true, though it may be absent',
      policy('p', 'condition: "resource.type == \\"other\\" && context.x"'),
      ['proven vacuous-policy policy/app/p'],
    ],
    [
      'a DENY that never applies, and cannot fail',
      policy('p', 'condition: has(context.n) && resource.type == "other"', 'DENY'),
      ['proven vacuous-policy policy/app/p'],
    ],
    [
      'not a DENY that is never true but may fail',
      policy('p', 'condition: has(context.n) && context.n > 5 && context.n < 3', 'DENY'),
      [],
    ],
    [
      'a condition that every request meets',
      policy('p', 'condition: "has(context.n) || !has(context.n)"'),
      ['proven constant-condition policy/app/p'],
    ],
    [
      'a clause that every request meets',
      policy('p', 'condition: resource.type == "doc" && context.n'),
      ['proven constant-condition policy/app/p'],
    ],
    ['a policy twice', policy('p', '') + policy('q', ''), ['proven redundant-policy policy/app/q']],
    [
      'a policy with a stronger condition',
      policy('p', 'condition: context.n > 3') + policy('q', 'condition: context.n > 5'),
      ['proven redundant-policy policy/app/q'],
    ],
    [
      'not one with a weaker condition',
      policy('p', 'priority: 1, condition: context.n > 5') + policy('q', 'condition: context.n > 3'),
      [],
    ],
    ['not one for somebody else', policy('p', '') + policy('q', '', 'ALLOW', 'role/app/s'), []],
    [
      'a policy that everyone has anyway',
      policy('p', '', 'ALLOW', 'everyone') + policy('q', 'condition: context.n > 5'),
      ['proven redundant-policy policy/app/q'],
    ],
    [
      'a policy below another of its effect',
      policy('p', 'priority: 5') + policy('q', 'condition: context.n > 5'),
      ['proven shadowed-policy policy/app/q'],
    ],
    [
      'not one above it, since a DENY may lie between',
      policy('p', '') + policy('q', 'priority: 5, condition: context.n > 5'),
      [],
    ],
    [
      'an ALLOW beside a DENY',
      policy('p', '', 'DENY') + policy('q', 'condition: context.n > 5'),
      ['proven overridden-policy policy/app/q'],
    ],
    [
      'a DENY below an ALLOW that everyone has',
      policy('p', 'priority: 5', 'ALLOW', 'everyone') + policy('q', '', 'DENY'),
      ['proven overridden-policy policy/app/q'],
    ],
    [
      'not a DENY below an ALLOW, if it can fail',
      policy('p', 'priority: 5', 'ALLOW', 'everyone') +
        policy('q', 'condition: has(context.n) && context.n > 5', 'DENY'),
      [],
    ],
    [
      'a policy of nobody',
      '      p: { effect: ALLOW, resource_type: doc, actions: [read] }\n',
      ['proven unassigned-policy policy/app/p'],
    ],
    [
      'a DENY that reads what may be absent',
      policy('p', 'condition: context.n > 5', 'DENY'),
      ['suspected deny-on-absence policy/app/p'],
    ],
    [
      'an attribute that is nearly the name of a stored one',
      policy('p', 'condition: resource.properties.sttae == "open"'),
      ['suspected misspelt-attribute policy/app/p'],
    ],
    [
      'an attribute that is nearly the name of one that others read',
      policy('p', 'condition: context.region == "a"') +
        policy('q', 'priority: 1, condition: context.region == "b"', 'ALLOW', 'role/app/s') +
        policy('x', 'condition: context.regoin == "a"', 'ALLOW', 'group/g'),
      ['suspected misspelt-attribute policy/app/x'],
    ],
    [
      'a time that modifiers know',
      policy('p', 'condition: context.tiem == "x"'),
      ['suspected misspelt-attribute policy/app/p'],
    ],
  ])('finds %s', (_, policies, expected) => {
    expect(linted(policies)).toEqual(expected);
  });

  it.each<[string, string, string[]]>([
    ['roles without policies', 'roles: { idle: { assigned_to: [user/a] } }', ['proven unused-role role/idle']],
    [
      'roles that nobody holds, which requests may name',
      'roles: { named: { includes: [app/r] } }',
      ['suspected holderless-role role/named'],
    ],
    [
      'roles that nobody can hold',
      'roles: { gone: { includes: [app/r], from_requests: false } }',
      ['proven holderless-role role/gone'],
    ],
    [
      'links that have ended',
      'role_assignments: [{ role: app/r, to: group/g, expires_at: "2027-01-31T10:00:00Z" }]',
      ['proven expired-link role_assignment/app/r//group/g'],
    ],
    [
      'nothing of links to come',
      'role_assignments: [{ role: app/r, to: group/g, starts_at: "2028-01-01T00:00:00Z" }]',
      [],
    ],
  ])('finds %s', (_, more, expected) => {
    expect(linted('', more)).toEqual(expected);
  });

  it('finds groups that hold groups alone', () => {
    const text = `version: 1
groups: { outer: { members: [group/inner] }, inner: {}, full: { members: [group/part] }, part: { members: [user/a] } }
subjects: { user/a: {} }
`;
    const { manifest } = readManifest([{ path: 'a.yaml', text }]);
    expect(lintRecords(manifest?.records ?? [], NOW).map(({ rule, address }) => `${rule} ${address}`)).toEqual([
      'empty-group group/outer',
      'empty-group group/inner',
    ]);
  });
});
