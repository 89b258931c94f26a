import { describe, expect, it } from 'vitest';
import { faultText } from '../../manifest/manifest.js';
import { prepareTests, readTestedRecords } from './run-tests.js';

const TREE = `version: 1
applications:
  docs:
    resource_types: { page: { actions: [read] } }
    resources: { p: { type: page } }
    policies:
      small:
        { effect: ALLOW, resource_type: page, actions: [read], condition: context.amount < 5, assigned_to: [everyone] }
subject_types:
  user: { properties: { region: string } }
context_attributes:
  amount: { type: number }
`;
const QUESTION = 'action: read, resource: page:p';

function faults(text: string): string[] {
  const records = readTestedRecords([{ path: 'tree.yaml', text: TREE }], 0);
  return prepareTests(records, [{ path: 'a.test.yaml', text }], { now: 0 }).faults.map(faultText);
}

describe('a file of tests', () => {
  it.each<[behaviour: string, text: string, faults: string[]]>([
    [
      'may not misspell what is declared',
      `context: { amuont: 1 }
fixtures: { subjects: { anne: { type: user, id: a, properties: { regoin: x } }, bert: { type: usr, id: b } } }
tests:
  - { name: a, subject: { type: user, id: c, properties: { zone: 1 } }, ${QUESTION}, expect: deny, context: { Amount: 1 } }
`,
      [
        'a.test.yaml:1:12: context.amuont: nobody declares a context attribute "amuont": did you mean "amount"? If not, declare it, too.',
        'a.test.yaml:2:66: fixtures.subjects.anne.properties.regoin: the subject type "user" declares no property "regoin": did you mean "region"?',
        'a.test.yaml:2:95: fixtures.subjects.bert.type: nobody declares a subject type "usr": did you mean "user"? If not, declare it, too.',
        'a.test.yaml:4:60: tests[0].subject.properties.zone: the subject type "user" declares no property "zone": declare it there, or take it out.',
        'a.test.yaml:4:130: tests[0].context.Amount: nobody declares a context attribute "Amount": did you mean "amount"? If not, declare it, too.',
      ],
    ],
    [
      'gives values of the declared types',
      `tests:
  - { name: a, subjects: [{ type: user, id: c, properties: { region: 1 } }], actions: [read], resources: [page:p], context: { amount: "1" } }
  - { name: b, what_can: { subject: { type: user, id: c, properties: { region: null } }, action: read }, exactly: [] }
`,
      [
        'a.test.yaml:2:70: tests[0].subjects[0].properties.region: the value is a number, but the subject type "user" declares it as string: write one, or expect a failure in a question of its own.',
        'a.test.yaml:2:135: tests[0].context.amount: the value is a string, but the context attribute "amount" is declared as number: write one, or expect a failure in a question of its own.',
        'a.test.yaml:3:80: tests[1].what_can.subject.properties.region: the value is a null, but the subject type "user" declares it as string: write one, or expect a failure in a question of its own.',
      ],
    ],
    [
      'may ask with what makes a condition fail, and with what nobody declares',
      `context: { region: x, ip: 10.0.0.1 }
tests:
  - { name: a, subject: { type: robot, id: c, properties: { x: 1 } }, ${QUESTION}, expect: failure, context: { amount: "1" } }
`,
      [],
    ],
  ])('%s', (_, text, expected) => {
    expect(faults(text)).toEqual(expected);
  });
});
