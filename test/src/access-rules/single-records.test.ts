/** Each row has one record alone, or one difference between two, on which the verdict hangs. */
import { describe, expect, it } from 'vitest';
import { judged } from './judged.js';
import { ANN, check, given, members, NAMED, NEVER, READ, type Row, tenant } from './small-tenant.js';

describe('one of two who are alike', () => {
  const both = members(['outer', 'user/bob'], ['outer', 'user/ann']);
  const lab = 'lab: { type: room }';
  const places = (more: string) => `role_assignments: [${BARRED}${more}]\n`;
  const BARRED =
    '{ role: pay/barred, to: user/bob, resource: pay/room/lab }, { role: pay/barred, to: user/ann, resource: pay/room/hr }';
  const DEEP = [
    'read: { effect: ALLOW, resources: [{ resource: room/lab, actions: [read], below: true }] }',
    'stop: { effect: DENY, priority: 9, resource_type: slip, actions: [read] }',
    `shelf: { effect: DENY, priority: 9, resource_type: slip, actions: [read], condition: 'resource.ancestors("pay/shelf").size() > 0', assigned_to: [everyone] }`,
  ].join('\n      ');
  const EXTERNAL = `never: { subjects: { where: 'subject.properties.contract == "external"' }, actions: [read], resources: pay/slip }`;
  const CONTRACTS =
    '{ user/bob: { properties: { contract: internal } }, user/ann: { properties: { contract: external } } }';
  const ASKS = READ.replace('[read] }', `[read], condition: 'subject.type == "user" && subject.id == "ann"' }`);
  it.each<Row>([
    [
      'differs in a recorded property',
      { rule: EXTERNAL, subjects: CONTRACTS, more: both },
      { rule: EXTERNAL, subjects: CONTRACTS, more: both + given('group/outer') },
      ANN,
    ],
    [
      'differs in the place of a role that denies',
      {
        rule: NEVER.replace('user/ann', 'group/outer'),
        resources: lab,
        roles: ', barred: { from_requests: false, policies: [stop] }',
        policies: DEEP,
        more: both + places(''),
      },
      {
        rule: NEVER.replace('user/ann', 'group/outer'),
        resources: lab,
        roles: ', barred: { from_requests: false, policies: [stop] }',
        policies: DEEP,
        more: both + places('') + given('group/outer'),
      },
      ANN,
    ],
    [
      'differs in the id that a condition asks for',
      { rule: NEVER.replace('subjects: user/ann, ', ''), policies: ASKS },
      { rule: NEVER.replace('subjects: user/ann, ', ''), policies: ASKS, more: given('everyone') },
      ANN,
    ],
    [
      'is a resource that the rule picks out by its name',
      { rule: NAMED, resources: 's1: { type: slip }' },
      { rule: NAMED, resources: 's1: { type: slip }', more: given('user/ann') },
      /user\/ann may "read" pay\/slip\/s1/,
    ],
  ])('%s', (_, before, after, says) => check(before, after, says));
});

describe('a record that one state alone has', () => {
  const LEVEL = READ.replace('[read] }', `[read], condition: 'subject.properties.level == 1' }`);
  const two = `${LEVEL}\n      ${LEVEL.replace('read:', 'two:')}`;
  const rule = NEVER.replace('subjects: user/ann, ', '');
  const deep =
    'read: { effect: ALLOW, resources: [{ resource: room/lab, actions: [read], below: true }] }\n      none: { effect: ALLOW, resource_type: slip, actions: [sign] }';
  const lab = 'lab: { type: room }';
  const lost = `${lab}\n      s1: { type: slip, parents: [room/hr, room/lab] }`;
  it.each<Row>([
    [
      'is a subject, of whom requests could say before what is recorded now',
      { rule, policies: two, more: given('everyone') },
      {
        rule,
        policies: two,
        subjects: '{ user/ann: {}, user/bob: {}, user/eve: { properties: { level: 1 }, groups: [outer] } }',
        more: 'policy_assignments: [{ policy: pay/read, to: everyone }, { policy: pay/two, to: group/outer }]\n',
      },
      undefined,
    ],
    [
      'is a resource, which then lies in any of its places by itself',
      { rule: NAMED, policies: deep, resources: lost },
      { rule: NAMED, policies: deep, resources: lab, more: given('user/ann') },
      /user\/ann may "read" pay\/slip\/s1/,
    ],
  ])('%s', (_, before, after, says) => check(before, after, says));

  it('is an application that comes back with a grant', () => {
    const all = tenant({ rule: 'never: { subjects: user/ann, actions: [read], resources: "*" }' });
    const back = all.replace(
      'applications:\n',
      'applications:\n  docs: { resource_types: { page: { actions: [read] } }, policies: { p: { effect: ALLOW, resource_type: page, actions: [read], assigned_to: [user/ann] } } }\n',
    );
    expect(judged(all, back)).toEqual([expect.stringMatching(/user\/ann may "read" docs\/page/)]);
  });

  it('is the other role of a bare name, which then means one alone', () => {
    const state = (more: string, rule: string) =>
      tenant({ rule, roles: ', clerk: {}', more: given('role/pay/clerk') }).replace(
        'applications:\n',
        `applications:\n  docs: { resource_types: { page: { actions: [read] } }${more} }\n`,
      );
    for (const rule of [NEVER, NEVER.replace('never', 'always')])
      expect(judged(state(', roles: { clerk: {} }', rule), state('', rule))).toEqual([]);
  });
});

describe('a DENY', () => {
  const glass = `always: { subjects: user/ann, actions: [read], resources: pay/slip }, when: 'has(context.x)'`;
  const fails = `${READ}\n      out: { effect: DENY, resource_type: slip, actions: [read], condition: 'context.x < 1 && context.x >= 1' }`;
  const SIGNING = 'never: { subjects: user/ann, actions: [sign], resources: pay/slip }';
  const wide = [
    READ.replace('[read]', '["*"]'),
    'out: { effect: DENY, priority: 9, resource_types: [slip, desk], actions: [sign], assigned_to: [everyone] }',
  ].join('\n      ');
  it('that fails leaves open what must stay possible', () => {
    check(
      { rule: glass, policies: fails, more: given('user/ann') },
      {
        rule: glass,
        policies: fails,
        more: 'policy_assignments: [{ policy: pay/read, to: user/ann }, { policy: pay/out, to: everyone }]\n',
      },
      /must always be able/,
    );
  });

  it('on several types ceases with the action that one of them declares no more', () => {
    const state = (actions: string) =>
      tenant({ rule: SIGNING, policies: wide, more: given('user/ann') }).replace(
        'slip: { actions: [read, sign]',
        `desk: { actions: [sign] }\n      slip: { actions: ${actions}`,
      );
    expect(judged(state('[read, sign]'), state('[read]'))).toEqual([expect.stringMatching(/user\/ann may "sign"/)]);
  });
});

describe('an ALLOW', () => {
  it('on several types comes to cover an action that one of them newly declares', () => {
    const state = (actions: string) =>
      tenant({
        rule: 'never: { subjects: user/ann, actions: [sign], resources: pay/slip }',
        policies: `${READ}\n      sign: { effect: ALLOW, resource_types: [slip, desk], actions: [sign], assigned_to: [user/ann] }`,
      }).replace('slip: { actions: [read, sign]', `desk: { actions: [sign] }\n      slip: { actions: ${actions}`);
    expect(judged(state('[read]'), state('[read, sign]'))).toEqual([expect.stringMatching(/user\/ann may "sign"/)]);
  });
});
