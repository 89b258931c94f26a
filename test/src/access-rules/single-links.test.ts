/** Each row has one thing alone on which the verdict hangs, so that it fails if the judge forgets that thing. */
import { describe, it } from 'vitest';
import { ANN, check, given, held, members, NEVER, READ, type Row, TWO } from './small-tenant.js';

const CHAIN: [string, string][] = [
  ['outer', 'group/mid'],
  ['mid', 'group/inner'],
];
const NESTED = members(...CHAIN, ['inner', 'user/ann']);

describe('a group in a group in a group', () => {
  it.each<Row>([
    ['is given a policy', { more: NESTED }, { more: NESTED + given('group/outer') }, ANN],
    ['is given a role', { more: NESTED }, { more: NESTED + held('group/outer') }, ANN],
    ['gets a member', { more: members(...CHAIN) + given('group/outer') }, { more: NESTED + given('group/outer') }, ANN],
    [
      'gets a member, and holds a role',
      { more: members(...CHAIN) + held('group/outer') },
      { more: NESTED + held('group/outer') },
      ANN,
    ],
    [
      'is linked in the middle',
      { more: members(['outer', 'group/mid'], ['inner', 'user/ann']) + given('group/outer') },
      { more: NESTED + given('group/outer') },
      ANN,
    ],
    [
      'is all that a rule means',
      { rule: NEVER.replace('user/ann', 'group/outer'), more: NESTED },
      { rule: NEVER.replace('user/ann', 'group/outer'), more: NESTED + given('everyone') },
      ANN,
    ],
    [
      'is what a condition asks for',
      { policies: `${READ.replace('[read] }', `[read], condition: 'subject.in_group("outer")' }`)}`, more: NESTED },
      {
        policies: `${READ.replace('[read] }', `[read], condition: 'subject.in_group("outer")' }`)}`,
        more: NESTED + given('everyone'),
      },
      ANN,
    ],
    [
      'gets a member whom a DENY for all without it no longer denies',
      {
        policies: `${READ}\n      out: { effect: DENY, resource_type: slip, actions: [read], condition: '!subject.in_group("outer")', assigned_to: [everyone] }`,
        more: members(...CHAIN) + given('user/ann'),
      },
      {
        policies: `${READ}\n      out: { effect: DENY, resource_type: slip, actions: [read], condition: '!subject.in_group("outer")', assigned_to: [everyone] }`,
        more: NESTED + given('user/ann'),
      },
      ANN,
    ],
  ])('%s', (_, before, after, says) => check(before, after, says));
});

describe('a DENY with an exemption', () => {
  const when = (condition: string) =>
    `never: { subjects: user/ann, actions: [read], resources: pay/slip }, when: '${condition}'`;
  const out = (more: string) =>
    `${READ}\n      out: { effect: DENY, resource_type: slip, actions: [read]${more}, assigned_to: [everyone] }`;
  const [WITH, WITHOUT, INSIDE] = ['context.mfa == true', 'context.mfa == false', 'ip_in(context.ip, "10.0.0.0/8")'];
  const BOTH = ', unless: { mfa_required: true, ip_ranges: [10.0.0.0/8] }';
  it.each<[what: string, rule: string, before: string, after: string, says: RegExp | undefined]>([
    ['lets through whoever has a second factor', when(WITH), '', ', unless: { mfa_required: true }', /"mfa":true/],
    ['lets nobody through without it', when(WITHOUT), '', ', unless: { mfa_required: true }', undefined],
    ['lets through an address', when(INSIDE), '', ', unless: { ip_ranges: [10.0.0.0/8] }', /"ip":"10\./],
    ['lets nobody through without both of its parts', when(`${WITHOUT} && ${INSIDE}`), '', BOTH, undefined],
    ['lets nobody through by one part alone', when(`${WITH} && context.ip == "11.0.0.1"`), '', BOTH, undefined],
    ['lets through whoever has both', when(`${WITH} && ${INSIDE}`), '', BOTH, /"ip":"10\./],
    ['of two parts comes to ask for one', when('!has(context.ip)'), BOTH, ', unless: { mfa_required: true }', ANN],
    [
      'denies nothing where its condition fails, though the exemption is absent',
      when('!has(context.mfa)'),
      `, condition: 'context.x < 1 || context.x >= 1 || !has(context.x)'`,
      `, condition: 'context.x < 1 || context.x >= 1 || !has(context.x)', unless: { mfa_required: true }`,
      undefined,
    ],
    [
      'leaves the answer open where its condition fails, which allows nothing',
      when('!has(context.mfa)'),
      ', unless: { mfa_required: true }',
      `, condition: 'context.x < 1 || context.x >= 1', unless: { mfa_required: true }`,
      undefined,
    ],
    [
      'holds all day',
      when('true'),
      '',
      `, modifiers: { time_windows: [{ start: "00:00", end: "00:00", zone: UTC }] }`,
      undefined,
    ],
    ['holds at every address', when('true'), '', `, modifiers: { ip_ranges: ["::/0", "0.0.0.0/0"] }`, undefined],
    ['holds at IPv6 addresses alone', when('true'), '', `, modifiers: { ip_ranges: ["::/0"] }`, /"ip":/],
    [
      'holds in the hours of which the rule speaks',
      when('has(context.time) && timestamp(context.time).getHours() < 9'),
      '',
      `, modifiers: { time_windows: [{ start: "00:00", end: "09:00", zone: UTC }] }`,
      undefined,
    ],
    [
      'ends before those hours do',
      when('has(context.time) && timestamp(context.time).getHours() < 9'),
      '',
      `, modifiers: { time_windows: [{ start: "00:00", end: "08:30", zone: UTC }] }`,
      /"time":/,
    ],
  ])('%s', (_, rule, before, after, says) => {
    const state = (more: string) => ({ rule, policies: out(more), more: given('user/ann') });
    check(state(before), state(after), says);
  });
});

describe('a request that says of one property alone where a resource lies', () => {
  const rule = (where: string) =>
    `never: { subjects: user/ann, actions: [read], resources: pay/slip }, when: '${where}'`;
  const SECRET = 'resource.ancestors("pay/shelf").exists(one, one.properties.secret == true)';
  const inHr = 'role_assignments: [{ role: pay/reader, to: user/ann, resource: pay/room/hr }]\n';
  it.each<Row>([
    [
      'breaks a rule about the other',
      { rule: rule(SECRET) },
      { rule: rule(SECRET), more: inHr },
      /with resource.properties \{"in":"hr"\}/,
    ],
    [
      'breaks nothing where the rule has no answer hanging on the other',
      { rule: rule('resource.ancestors("pay/room").exists(one, one.properties.secret == true)') },
      { rule: rule('resource.ancestors("pay/room").exists(one, one.properties.secret == true)'), more: inHr },
      undefined,
    ],
  ])('%s', (_, before, after, says) => check(before, after, says));
});

describe('a type of subjects', () => {
  const only = 'only: { subjects: { type: user }, actions: [read], resources: pay/slip }';
  it.each<Row>([
    [
      'is another than those who alone may',
      { rule: only },
      { rule: only, more: given('everyone/service') },
      /service\/somebody may/,
    ],
    ['is that of those who alone may', { rule: only }, { rule: only, more: given('everyone/user') }, undefined],
    [
      'is mentioned by a link alone, which goes',
      {
        rule: 'never: { subjects: { where: \'subject.type.matches("^robot$")\' }, actions: [read], resources: pay/slip }',
        policies: `${READ}\n      out: { effect: DENY, resource_type: slip, actions: [read] }`,
        more: 'policy_assignments: [{ policy: pay/read, to: everyone }, { policy: pay/read, to: everyone/robot }, { policy: pay/out, to: everyone }]\n',
      },
      {
        rule: 'never: { subjects: { where: \'subject.type.matches("^robot$")\' }, actions: [read], resources: pay/slip }',
        policies: `${READ}\n      out: { effect: DENY, resource_type: slip, actions: [read] }`,
        more: given('everyone'),
      },
      /robot\/somebody may/,
    ],
  ])('%s', (_, before, after, says) => check(before, after, says));
});

describe('an action', () => {
  const all = (more = '', types = 'pay/slip') =>
    `never: { subjects: user/ann, actions: ["*"], resources: ${types} }${more}`;
  const ELSEWHERE = 'other: { effect: ALLOW, resource_type: room, actions: [purge] }';
  const wide = (condition: string) =>
    `wide: { effect: ALLOW, resource_type: slip, actions: ["*"], condition: '${condition}' }`;
  const lines = (...all: string[]) => all.join('\n      ');
  const MARKED = 's1: { type: slip, properties: { act: purge } }';
  it.each<Row>([
    [
      'that a policy on another type names is one of which the rule speaks',
      { rule: all(`, when: 'action.name == "purge"'`), policies: lines(READ, ELSEWHERE, wide('true')) },
      {
        rule: all(`, when: 'action.name == "purge"'`),
        policies: lines(READ, ELSEWHERE, wide('true')),
        more: given('user/ann', 'pay/wide'),
      },
      /may "purge"/,
    ],
    [
      'that a policy on another type names is a property of the resource',
      {
        rule: all('', '{ named: [pay/slip/s1] }'),
        resources: MARKED,
        policies: lines(READ, ELSEWHERE, wide('action.name == resource.properties.act')),
      },
      {
        rule: all('', '{ named: [pay/slip/s1] }'),
        resources: MARKED,
        policies: lines(READ, ELSEWHERE, wide('action.name == resource.properties.act')),
        more: given('user/ann', 'pay/wide'),
      },
      /may "purge"/,
    ],
    [
      'that nothing names is covered by a wildcard',
      { rule: all(`, when: 'action.name != "read" && action.name != "sign"'`), policies: lines(READ, wide('true')) },
      {
        rule: all(`, when: 'action.name != "read" && action.name != "sign"'`),
        policies: lines(READ, wide('true')),
        more: given('user/ann', 'pay/wide'),
      },
      /user\/ann may "/,
    ],
  ])('%s', (_, before, after, says) => check(before, after, says));
});

describe('a role that includes another, which includes a third', () => {
  const READERS = NEVER.replace('user/ann', '{ roles: [pay/reader] }');
  const ROLES =
    ', lead: { from_requests: false, includes: [pay/chief] }, chief: { from_requests: false, includes: [pay/reader] }';
  it.each<Row>([
    ['is given', { roles: ROLES }, { roles: ROLES, more: held('user/ann', 'pay/lead') }, ANN],
    [
      'is held where the last gets the policy',
      { roles: ROLES, policies: TWO, more: held('user/ann', 'pay/lead') },
      { roles: ROLES, policies: TWO, more: held('user/ann', 'pay/lead') + given('role/pay/reader', 'pay/two') },
      ANN,
    ],
    [
      'is what a group holds that gets a member',
      { roles: ROLES, more: held('group/outer', 'pay/lead') },
      { roles: ROLES, more: held('group/outer', 'pay/lead') + members(['outer', 'user/ann']) },
      ANN,
    ],
    [
      'is held by the one who is meant, where all without it are denied',
      {
        roles: ROLES,
        policies: `${READ}\n      out: { effect: DENY, resource_type: slip, actions: [read], condition: '!subject.has_role("pay/reader")', assigned_to: [everyone] }`,
        more: given('user/ann'),
      },
      {
        roles: ROLES,
        policies: `${READ}\n      out: { effect: DENY, resource_type: slip, actions: [read], condition: '!subject.has_role("pay/reader")', assigned_to: [everyone] }`,
        more: given('user/ann') + held('user/ann', 'pay/lead'),
      },
      ANN,
    ],
    [
      'is all that a rule means',
      { rule: READERS, roles: ROLES, policies: TWO, more: held('user/ann', 'pay/lead') },
      { rule: READERS, roles: ROLES, policies: TWO, more: held('user/ann', 'pay/lead') + given('everyone', 'pay/two') },
      ANN,
    ],
  ])('%s', (_, before, after, says) => check(before, after, says));
});

describe('everyone', () => {
  it.each<Row>([
    [
      'holds a role that is given a policy',
      { policies: TWO, more: held('everyone') },
      { policies: TWO, more: held('everyone') + given('role/pay/reader', 'pay/two') },
      ANN,
    ],
    [
      'of a type holds a role that is given a policy',
      { policies: TWO, more: held('everyone/user') },
      { policies: TWO, more: held('everyone/user') + given('role/pay/reader', 'pay/two') },
      ANN,
    ],
    ['of a type comes to hold a role', {}, { more: held('everyone/user') }, ANN],
    ['comes to hold a role', {}, { more: held('everyone') }, ANN],
  ])('%s', (_, before, after, says) => check(before, after, says));
});

describe('a subject without a record', () => {
  const when = `never: { actions: [read], resources: pay/slip, subjects: { where: 'subject.properties.contract == "external"' } }`;
  it.each<Row>([
    [
      'gets one with the change, and a grant',
      { rule: when },
      {
        rule: when,
        subjects: '{ user/ann: {}, user/bob: {}, user/eve: { properties: { contract: external } } }',
        more: given('user/eve'),
      },
      /user\/eve may/,
    ],
    [
      'gets one that tells that the rule does not mean them',
      { rule: when },
      {
        rule: when,
        subjects: '{ user/ann: {}, user/bob: {}, user/eve: { properties: { contract: internal } } }',
        more: given('user/eve'),
      },
      undefined,
    ],
  ])('%s', (_, before, after, says) => check(before, after, says));
});
