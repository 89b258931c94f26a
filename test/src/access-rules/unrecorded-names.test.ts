/** Types and actions that have no record, and are only mentioned by links and conditions. */

import { finished } from '@authz-service/core/concurrency/time-slicing';
import { existingViolations } from '@authz-service/core/questions/access-rules/judge-rules';
import { violationText } from '@authz-service/core/questions/access-rules/violation';
import { describe, expect, it } from 'vitest';
import { judged, NOW, stateOf } from './judged.js';

const NEVER = 'never: { actions: [read], resources: pay/slip }';
const tree = (policies: string, rule = NEVER) => `
applications:
  pay:
    resource_types: { slip: { actions: [read] } }
    policies: ${policies}
subjects: { user/ann: {} }
access_rules: { r: { ${rule} } }
`;
const policy = (name: string, more: string, to?: string) =>
  `${name}: { resource_type: slip, ${more}${to === undefined ? '' : `, assigned_to: [${to}]`} }`;

describe('a type of subjects that only links mention', () => {
  const robots = policy('p', 'effect: ALLOW, actions: [read]', 'everyone/robot');
  const deny = (to?: string) => policy('d', 'effect: DENY, actions: [read]', to);

  it('is looked at where a DENY for everyone goes', () => {
    const found = judged(tree(`{ ${robots}, ${deny('everyone')} }`), tree(`{ ${robots}, ${deny()} }`));
    expect(found).toEqual([expect.stringContaining('robot/somebody may "read" pay/slip/something')]);
  });

  it('is looked at for violations that stand', () => {
    const found = finished(existingViolations(stateOf(tree(`{ ${robots} }`)), NOW, 10));
    expect(found.map(violationText)).toEqual([expect.stringContaining('robot/somebody may "read"')]);
  });
});

describe('a type of subjects that only a condition mentions', () => {
  const ROBOT = 'subject.type == "robot"';
  const picked = (effect: string, to?: string) =>
    policy('p', `effect: ${effect}, priority: 5, actions: [read], condition: '${ROBOT}'`, to);
  const limited = (to?: string) =>
    tree(
      `{ ${policy('p', 'effect: ALLOW, actions: [read]', to)} }`,
      `never: { subjects: { where: '${ROBOT}' }, actions: [read], resources: pay/slip }`,
    );
  const always = (to?: string) =>
    tree(
      `{ ${policy('ok', 'effect: ALLOW, actions: [read]', 'everyone')}, ${picked('DENY', to)} }`,
      'always: { actions: [read], resources: pay/slip }',
    );

  it.each<[where: string, before: string, after: string]>([
    ['the policy', tree(`{ ${picked('ALLOW')} }`), tree(`{ ${picked('ALLOW', 'everyone')} }`)],
    ['the rule', limited(), limited('everyone')],
    ['a DENY against `always`', always(), always('everyone')],
  ])('is looked at where it is one of %s', (_, before, after) => {
    expect(judged(before, after)).toEqual([expect.stringContaining('robot/somebody')]);
  });
});

describe('an action that no type declares', () => {
  const rule = 'never: { actions: ["*"], resources: pay/slip }';
  const given = (condition: string, to?: string) =>
    tree(`{ ${policy('p', `effect: ALLOW, actions: ["*"], condition: '${condition}'`, to)} }`, rule);

  it.each<[condition: string, says: RegExp]>([
    ['action.name == "purge"', /may "purge" pay\/slip/],
    ['action.name.startsWith("pur")', /may "pur/],
    ['action.name.endsWith("ge") && action.name != "purge"', /may "/],
    ['resource.name == action.name', /may "(.+)" pay\/slip\/\1 /],
    ['subject.type.endsWith("bot") && subject.type != "bot"', /[^ ]+bot\/somebody may/],
  ])('is looked at where a condition asks for %s', (condition, says) => {
    expect(judged(given(condition), given(condition, 'everyone'))).toEqual([expect.stringMatching(says)]);
  });

  it('is none where a DENY keeps it out', () => {
    const all = (to?: string) => policy('p', `effect: ALLOW, actions: ["*"], condition: 'action.name == "purge"'`, to);
    const deny = policy(
      'd',
      `effect: DENY, priority: 9, actions: ["*"], condition: 'action.name.startsWith("pur")'`,
      'everyone',
    );
    expect(judged(tree(`{ ${all()}, ${deny} }`, rule), tree(`{ ${all('everyone')}, ${deny} }`, rule))).toEqual([]);
  });
});

describe('a new resource with two parents', () => {
  const places = (resource: string, two = 'actions: [approve]') => `
applications:
  pay:
    resource_types:
      proj: { actions: [read] }
      inv: { actions: [submit, approve], parents: [{ type: proj, property: projects }] }
    resources:
      one: { type: proj }
      two: { type: proj }
${resource}
    policies:
      s: { effect: ALLOW, resources: [{ resource: proj/one, actions: [submit], below: true }], assigned_to: [user/ann] }
      a: { effect: ALLOW, resources: [{ resource: proj/two, ${two}, below: true }], assigned_to: [user/ann] }
subjects: { user/ann: {} }
access_rules: { r: { separate: { actions: [submit, approve], resources: pay/inv } } }
`;
  const NEW = '      i1: { type: inv, parents: [proj/one, proj/two] }';

  it('brings together what was possible in one parent each', () => {
    expect(judged(places(''), places(NEW))).toEqual([
      expect.stringContaining('user/ann may both "approve" pay/inv/i1 and "submit" pay/inv/i1'),
    ]);
  });

  it('breaks nothing where one parent had both', () => {
    const both = 'actions: [submit, approve]';
    expect(judged(places('', both), places(NEW, both))).toEqual([]);
  });
});
