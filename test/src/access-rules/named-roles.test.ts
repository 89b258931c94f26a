/** Roles named in requests, where conditions ask for them (docs/semantics.md 4.12, 9.3, 11.3). */
import { describe, expect, it } from 'vitest';
import { judged } from './judged.js';

const rules = (form: string) =>
  `access_rules: { rule: { ${form}: { subjects: user/ann, actions: [read], resources: pay/slip } } }\n`;
const tree = (role: string, condition: string, effect = 'ALLOW') => `
applications:
  pay:
    resource_types:
      room: { actions: [enter] }
      slip: { actions: [read], parents: [{ type: room, property: in }] }
    resources: { one: { type: room }, two: { type: room } }
    roles:
      x: ${role}
      y: {}
    policies:
      open: { effect: ALLOW, priority: -1, resource_type: slip, actions: [read] }
      asks: { effect: ${effect}, resource_type: slip, actions: [read], condition: '${condition}', assigned_to: [everyone] }
subjects: { user/ann: {} }
`;
const HELD = 'subject.has_role("pay/y")';
const ALONE = '{}';
const BRINGS = '{ includes: [pay/y] }';
const OPEN = 'policy_assignments: [{ policy: pay/open, to: everyone }]\n';

describe('a role that comes to bring another which requests may name by itself', () => {
  it.each<[what: string, form: string, effect: string, condition: string, more: string, says: RegExp]>([
    ['never', 'never', 'ALLOW', HELD, '', /user\/ann, named by the request as role\/pay\/x, may "read" pay\/slip/],
    [
      'never, inside another operation',
      'never',
      'ALLOW',
      `${HELD} != false`,
      '',
      /may, for all that can be said, "read"/,
    ],
    ['always', 'always', 'DENY', HELD, OPEN, /user\/ann, named by the request as role\/pay\/x, must always be able to/],
    [
      'always, by what is no longer so',
      'always',
      'ALLOW',
      `!${HELD}`,
      '',
      /user\/ann, named by the request as role\/pay\/x, must/,
    ],
  ])('breaks `%s` where a condition asks for that', (_, form, effect, condition, more, says) => {
    const state = (role: string) => tree(role, condition, effect) + more + rules(form);
    expect(judged(state(ALONE), state(BRINGS))).toEqual([expect.stringMatching(says)]);
  });

  it.each([
    ['never', 'ALLOW', `!${HELD}`, ''],
    ['always', 'ALLOW', HELD, ''],
    ['never', 'DENY', HELD, OPEN],
  ])('does not break `%s` by %s where %s', (form, effect, condition, more) => {
    const state = (role: string) => tree(role, condition, effect) + more + rules(form);
    expect(judged(state(ALONE), state(BRINGS))).toEqual([]);
  });

  it('ceases to, and is named in vain', () => {
    const state = (role: string) => tree(role, `!${HELD}`) + rules('never');
    for (const now of [ALONE, '{ from_requests: false, includes: [pay/y] }'])
      expect(judged(state(BRINGS), state(now)), now).toEqual([
        expect.stringMatching(/user\/ann, named by the request as role\/pay\/x, may "read"/),
      ]);
  });
});

describe('a role that is held on a place and may be named', () => {
  const held = (place: string) => `role_assignments: [{ role: pay/y, to: user/ann, resource: pay/room/${place} }]\n`;

  it('is absent, and not denied, where the request says neither the place nor the role', () => {
    const state = (more: string) => tree(ALONE, HELD, 'DENY') + OPEN + rules('never') + more;
    expect(judged(state(held('one')), state(''))).toEqual([expect.stringMatching(/user\/ann may "read" pay\/slip/)]);
    expect(judged(state(''), state(held('one')))).toEqual([]);
  });

  it('is held on another place than before', () => {
    const state = (place: string) => tree(ALONE, HELD) + rules('never') + held(place);
    expect(judged(state('one'), state('two'))).toEqual([expect.stringMatching(/user\/ann may "read" pay\/slip.*two/)]);
  });
});
