import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PairLine } from '@authz-service/core/questions/impact/api/access-delta';
import type { Finding } from '@authz-service/core/questions/impact/api/finding';
import type { Impact } from '@authz-service/core/questions/impact/api/impact';
import type { ReportedFinding } from '@authz-service/core/questions/impact/report/access-report';
import { type DeclaredRecord, declare } from '@authz-service/core/records/registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finding } from '../../../testing/finding.js';
import { type Gates, judge } from './gates.js';
import { KnownNames } from './known-names.js';
import { readNotGranted } from './not-granted.js';
import { forPattern } from './pattern.js';

const records: DeclaredRecord[] = [
  declare('resource_type', { application: 'billing', name: 'invoice', actions: ['read', 'approve'], properties: {} }),
  declare('resource_type', { application: 'docs', name: 'page', actions: ['read'], properties: {} }),
  declare('resource', { type: 'billing/invoice', name: 'INV-1', properties: {} }),
  declare('resource', { type: 'billing/invoice', name: 'INV-2', properties: {} }),
  declare('subject', { type: 'user', id: 'alice', properties: {} }),
  declare('subject', { type: 'user', id: 'bob', properties: {} }),
];
const names = new KnownNames({ records: records.slice(0, 3) }, { records });

/** An access delta of these findings; Bob and INV-1 are what each is about, unless the test says more. */
function impactOf(findings: readonly Finding[], pairs: readonly PairLine[] = []): Impact {
  const count = (change: PairLine['change']) => pairs.filter((pair) => pair.change === change).length;
  const counts = { gained: count('gained'), lost: count('lost'), mixed: count('mixed'), unknown: count('unknown') };
  return {
    delta: { format: 1, now: '2027-01-31T10:00:00Z', counts, exact: true, findings },
    pairs: () => pairs,
    subjectsOf: ({ subjects }) => (subjects.recorded === 0 ? [] : ['user/bob']),
    alikeIn: () => [],
    resourcesOf: ({ resources }) =>
      resources.flatMap(({ recorded }) => (recorded === 0 ? [] : ['billing/invoice/INV-1'])),
  };
}

const pair = (subject: string, action: string, resource: string, change: PairLine['change'] = 'gained'): PairLine => ({
  subject,
  action,
  resource,
  before: 'deny',
  after: 'allow',
  change,
});
const none: Gates = { noNewAccess: false, countedFor: [] };
const judged = (gates: Partial<Gates>, findings: ReportedFinding[], pairs: PairLine[] = [], gaps: string[] = []) =>
  judge({ ...none, ...gates }, findings, impactOf(findings, pairs), gaps);

describe('no new access', () => {
  it.each<[Finding['change'], boolean]>([
    ['gained', false],
    ['widened', false],
    ['changed', false],
    ['unknown', false],
    ['lost', true],
    ['narrowed', true],
  ])('judges what is %s', (change, passed) => {
    const found = finding({ change });
    expect(judged({ noNewAccess: true }, [found])).toMatchObject([
      { gate: 'no-new-access', passed, findings: passed ? [] : [found.id] },
    ]);
  });

  it('passes what the baseline acknowledges, and nothing where something is not known', () => {
    const acknowledged = { ...finding(), acknowledged: true as const };
    expect(judged({ noNewAccess: true }, [acknowledged])).toMatchObject([{ passed: true }]);
    expect(judged({ noNewAccess: true }, [], [], ['Who is in it?'])).toMatchObject([{ passed: false }]);
  });
});

describe('the most that may be gained', () => {
  const pairs = [
    pair('user/bob', 'read', 'billing/invoice/INV-1'),
    pair('user/alice', 'read', 'billing/invoice/INV-1', 'mixed'),
    pair('user/alice', 'read', 'billing/invoice/INV-2', 'lost'),
  ];
  it.each<[string, Partial<Gates>, ReportedFinding[], boolean]>([
    ['enough', { maxGained: 2 }, [finding()], true],
    ['too many, with what changes both ways', { maxGained: 1 }, [finding()], false],
    ['only what is counted', { maxGained: 1, countedFor: [forPattern('user:bob read *', names)] }, [finding()], true],
    [
      'too many of what is counted',
      { maxGained: 0, countedFor: [forPattern('user:* * invoice:*', names)] },
      [finding()],
      false,
    ],
    [
      'none of what is counted',
      { maxGained: 0, countedFor: [forPattern('* approve invoice:*', names)] },
      [finding()],
      true,
    ],
    ['a count that is a bound', { maxGained: 9 }, [finding({ exact: false })], false],
    ['what is acknowledged', { maxGained: 0 }, [{ ...finding(), acknowledged: true }], true],
    ['what cannot be said', { maxGained: 9 }, [finding({ change: 'unknown' })], false],
    ['what cannot be said of nobody recorded', { maxGained: 9 }, [finding({ change: 'unknown', triples: 0 })], true],
    ['what has no number', { maxGained: 2 }, [finding(), finding({ triples: 0 })], true],
  ])('knows %s', (_, gates, findings, passed) => {
    expect(judged(gates, findings, pairs)).toMatchObject([{ gate: 'max-gained', passed }]);
  });

  it.each([
    ['user:bob read', /is not "SUBJECT ACTION RESOURCE"/],
    ['user:bobb read *', /No subject "user:bobb" is recorded/],
    ['usr:* read *', /No subject of the type "usr" is recorded: did you mean "user"\?/],
    ['user:bob raed invoice:*', /"billing\/invoice" has no action "raed": did you mean "read"\?/],
    ['user:bob read invoic:*', /There is no resource type "invoic": did you mean/],
    ['user:bob read invoice:INV-9', /No resource "invoice:INV-9" is recorded/],
  ])('refuses %s', (text, message) => {
    expect(() => forPattern(text, names)).toThrow(message);
  });
});

describe('what must not become possible', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'not-granted-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const read = async (text: string) => {
    const file = join(folder, 'not-granted.yaml');
    await writeFile(file, text);
    return readNotGranted(file, names);
  };

  const strangers: Partial<Finding> = { subjects: { principals: [], recorded: 0, unrecorded: ['user'] } };
  it.each<[string, string, Partial<Finding>, boolean]>([
    ['a triple', '{ subject: user:bob, action: read, resource: invoice:INV-1 }', {}, false],
    ['another subject', '{ subject: user:alice, action: read, resource: invoice:INV-1 }', {}, true],
    ['another action', '{ subject: user:bob, action: approve, resource: invoice:INV-1 }', {}, true],
    ['another resource', '{ subject: user:bob, action: read, resource: billing/invoice:INV-2 }', {}, true],
    ['another type', '{ subject: user:bob, action: read, resource: page:* }', {}, true],
    ['what is lost', '{ subject: user:bob, action: read, resource: invoice:INV-1 }', { change: 'lost' }, true],
    [
      'what cannot be said',
      '{ subject: user:bob, action: read, resource: invoice:INV-1 }',
      { change: 'unknown' },
      false,
    ],
    ['any action', '{ subject: user:bob, action: approve, resource: invoice:* }', { actions: ['*'] }, false],
    [
      'any action but this',
      '{ subject: user:bob, action: approve, resource: "*" }',
      { actions: ['*'], actions_except: ['approve'] },
      true,
    ],
    ['wildcards', '{ subject: "*", action: "*", resource: "*" }', {}, false],
    [
      'one of a table',
      '{ subjects: [user:alice, user:bob], actions: [approve, read], resources: [invoice:*] }',
      {},
      false,
    ],
    ['a stranger', '{ subject: { type: user, id: mallory }, action: read, resource: invoice:INV-1 }', strangers, false],
    [
      'a stranger of another type',
      '{ subject: { type: robot, id: r2 }, action: read, resource: invoice:INV-1 }',
      strangers,
      true,
    ],
    [
      'a recorded one where strangers gain',
      '{ subject: user:bob, action: read, resource: invoice:INV-1 }',
      strangers,
      true,
    ],
    [
      'a role that requests name',
      '{ subject: user:alice, action: read, resource: invoice:INV-1 }',
      { subjects: { principals: [], recorded: 0, unrecorded: [], named_role: 'role/auditor' } },
      false,
    ],
    [
      'a resource without a record',
      '{ subject: user:bob, action: read, resource: { type: invoice, name: INV-9 } }',
      { resources: [{ type: 'billing/invoice', which: 'all', recorded: 2 }] },
      false,
    ],
    [
      'a resource without a record, where named ones are gained',
      '{ subject: user:bob, action: read, resource: { type: invoice, name: INV-9 } }',
      {},
      true,
    ],
  ])('judges %s', async (_, entry, members, passed) => {
    const notGranted = await read(`not_granted:\n  - ${entry}\n`);
    const found = finding(members);
    expect(judged({ notGranted }, [found])).toMatchObject([
      { gate: 'not-granted', passed, findings: passed ? [] : [found.id] },
    ]);
  });

  it('names the entry and its place', async () => {
    const notGranted = await read(
      'not_granted:\n  - name: Bob reads nothing\n    subject: user:bob\n    action: "*"\n    resource: "*"\n',
    );
    expect(judged({ notGranted }, [finding()])[0]?.detail).toMatch(/"Bob reads nothing" \(.*not-granted.yaml:2\)/);
  });

  it('refuses all that names nothing, each with its place', async () => {
    const text = `not_granted:
  - { subject: user:bobb, action: raed, resource: invoice:INV-1 }
  - { subject: bob, action: read, resources: [invoic:*], resource: "*" }
`;
    await expect(read(text)).rejects.toMatchObject({
      message: expect.stringMatching(/has 4 faults; nothing was judged/),
      faults: expect.arrayContaining([
        expect.stringMatching(/yaml:2:16: No subject "user:bobb" is recorded/),
        expect.stringMatching(/yaml:3:\d+: write one of "resource" and "resources"/),
      ]),
    });
    await expect(
      read('not_granted: [{ subject: user:bob, action: read, resource: "*", effect: deny }]'),
    ).rejects.toThrow(/:1:\d+: not_granted.0: unknown key "effect"/);
    await expect(read('not_granted: []')).rejects.toThrow(/not_granted/);
    await expect(read('- a: b: c')).rejects.toThrow(/:1:\d+: /);
  });
});
