/** Properties in which requests name parents, and which conditions can read. */
import { describe, it } from 'vitest';
import { check, given, NEVER, READ, type Row } from './small-tenant.js';

const where = (condition: string) => READ.replace('[read] }', `[read], condition: '${condition}' }`);
const everybody = given('everyone');
const rule = NEVER.replace('subjects: user/ann, ', '');
const belowHr = `never: { actions: [read], resources: { named: [pay/room/hr], below: true } }`;
const lab = 'lab: { type: room }';
const more = everybody;
const denied = `${where('resource.properties["in"] == "lab"')}
      stop: { effect: DENY, priority: 9, resources: [{ resource: room/lab, actions: [read], below: true }] }`;
const both = 'policy_assignments: [{ policy: pay/read, to: everyone }, { policy: pay/stop, to: everyone }]\n';

describe('a condition on the property that says what a resource lies in', () => {
  it.each<Row>([
    [
      'is met by what is said to lie in a new resource',
      { rule, policies: where('resource.properties["in"] == "lab"'), more },
      { rule, policies: where('resource.properties["in"] == "lab"'), more, resources: lab },
      /may "read" pay\/slip.*lab/s,
    ],
    [
      'is not met by what lies in another one, nor brought by it where it stands',
      { rule, policies: where('resource.properties["in"] == "lab"'), more, resources: lab },
      {
        rule,
        policies: where('resource.properties["in"] == "lab"'),
        more,
        resources: `${lab}, d: { type: room }`.replace(', ', '\n      '),
      },
      undefined,
    ],
    [
      'was met nowhere as well',
      { rule, policies: where('resource.properties["in"] != "hr"'), more },
      { rule, policies: where('resource.properties["in"] != "hr"'), more, resources: lab },
      undefined,
    ],
    [
      'is met in no other place',
      { rule: belowHr, policies: where('resource.properties["in"] == "lab"'), resources: lab },
      { rule: belowHr, policies: where('resource.properties["in"] == "lab"'), resources: lab, more },
      undefined,
    ],
    [
      'is met in the place that the rule names, by a grant',
      { rule: belowHr, policies: where('resource.properties["in"] == "hr"') },
      { rule: belowHr, policies: where('resource.properties["in"] == "hr"'), more },
      /may "read" pay\/slip/,
    ],
    [
      'is met by anything that requests say of a resource that has a record now',
      { rule: belowHr, policies: where('resource.properties["in"] == "lab"'), resources: lab, more },
      {
        rule: belowHr,
        policies: where('resource.properties["in"] == "lab"'),
        resources: `${lab}\n      s1: { type: slip, parents: [room/hr] }`,
        more,
      },
      /may "read" pay\/slip\/s1/,
    ],
    [
      'and a DENY in the same place, from which a record takes a resource away',
      { rule, policies: denied, resources: lab, more: both },
      { rule, policies: denied, resources: `${lab}\n      s1: { type: slip }`, more: both },
      /may "read" pay\/slip\/s1/,
    ],
    [
      'is not met where the property is not sent',
      { rule, policies: where('!has(resource.properties.on)'), more },
      { rule, policies: where('!has(resource.properties.on)'), more, resources: lab },
      undefined,
    ],
    [
      'of the rule itself narrows it to that place',
      {
        rule: `never: { actions: [read], resources: { types: [pay/slip], where: 'resource.properties["in"] == "lab"' } }`,
        more,
      },
      {
        rule: `never: { actions: [read], resources: { types: [pay/slip], where: 'resource.properties["in"] == "lab"' } }`,
        more,
        resources: lab,
      },
      /may "read" pay\/slip/,
    ],
    [
      'is met for certain, so that always is kept',
      {
        rule: `always: { subjects: user/ann, actions: [read], resources: { types: [pay/slip], where: 'resource.properties["in"] == "hr"' } }`,
        policies: where('resource.properties["in"] == "hr"'),
        more,
      },
      {
        rule: `always: { subjects: user/ann, actions: [read], resources: { types: [pay/slip], where: 'resource.properties["in"] == "hr"' } }`,
        policies: where('resource.properties["in"] == "hr"'),
        more,
        resources: lab,
      },
      undefined,
    ],
  ])('%s', (_, before, after, says) => check(before, after, says));
});
