import { describe, expect, it } from 'vitest';
import type { Kind } from '../../../records/kinds.js';
import { type DeclaredRecord, declare, definitionOf } from '../../../records/registry.js';
import { computeImpact } from '../compute-impact.js';
import type { AccessReport } from './access-report.js';
import { groupFindings } from './finding-groups.js';
import { renderAccessMarkdown } from './render-access-markdown.js';
import { renderAccessText } from './render-access-text.js';

const NOW = Date.parse('2026-11-23T00:00:00Z');

function record(kind: Kind, raw: Record<string, unknown>): DeclaredRecord {
  return declare(kind, definitionOf(kind).schema.parse(raw) as never) as DeclaredRecord;
}

const people = Array.from({ length: 20 }, (_, index) => `user/p${String(index).padStart(2, '0')}`);
const base = [
  record('application', { name: 'crm' }),
  record('resource_type', { application: 'crm', name: 'account', actions: ['read', 'export'] }),
  ...Array.from({ length: 10 }, (_, index) => record('resource', { type: 'crm/account', name: `A-${index}` })),
  record('role', { application: 'crm', name: 'lead', from_requests: false }),
  record('role', { application: 'crm', name: 'idle', from_requests: false }),
  record('group', { name: 'old' }),
  record('policy', {
    ...{ application: 'crm', name: 'lead', effect: 'ALLOW', resource_type: 'crm/account', actions: ['read', 'export'] },
  }),
  record('policy_assignment', { policy: 'crm/lead', entity_type: 'role', entity: 'crm/lead' }),
  ...[...people, 'user/mallory', 'robot/r1', 'user/known'].map((path) => {
    const [type, id] = path.split('/');
    return record('subject', { type, id });
  }),
  record('role_assignment', { role: 'crm/idle', entity_type: 'group', entity: 'old' }),
  record('group_membership', { group: 'old', entity_type: 'subject', entity: 'user/known' }),
];
const lead = (entity: string, account?: number) =>
  record('role_assignment', {
    ...{ role: 'crm/lead', entity_type: 'subject', entity },
    ...(account !== undefined && { resource: `crm/account/A-${account}` }),
  });
const oneEach = people.map((who, index) => lead(who, index % 10));

function reportOf(before: DeclaredRecord[], after: DeclaredRecord[]): AccessReport {
  const sides = { before: { records: before }, after: { records: after } };
  const impact = computeImpact(sides.before, sides.after, { now: NOW });
  return { ...impact.delta, groups: groupFindings(impact.delta.findings, impact, sides) };
}

const row = (report: AccessReport) =>
  renderAccessText(report)
    .filter((line) => /^ {4}\S/.test(line))
    .map((line) => line.trim().replace(/ {2,}/, ': '));

describe('findings summed up', () => {
  it('are apart for each stack whose records change, and name it only then', () => {
    const owned = (stack: string, records: DeclaredRecord[]) => records.map((one) => ({ ...one, managed_by: stack }));
    const halves = (one: string, other: string) => [
      ...base,
      ...oneEach.flatMap((link, index) => owned(index % 10 < 5 ? one : other, [link])),
    ];
    const read = 'may now export and read it';
    expect(row(reportOf(base, halves('sales', 'support'))).sort()).toEqual(
      ['sales', 'support'].map(
        (stack) =>
          `New: 10 people became crm/lead on one crm/account each, 5 in all, and ${read}, by the stack ${stack} – 20 permissions`,
      ),
    );
    expect(row(reportOf(base, halves('sales', 'sales')))).toEqual([
      `New: 20 people became crm/lead on one crm/account each, 10 in all, and ${read} – 40 permissions`,
    ]);
  });

  it.each<[string, DeclaredRecord[], DeclaredRecord[], string[]]>([
    [
      'a role on one resource each',
      base,
      [...base, ...oneEach],
      [
        'New: 20 people became crm/lead on one crm/account each, 10 in all, and may now export and read it – 40 permissions',
      ],
    ],
    [
      'the same taken away',
      [...base, ...oneEach],
      base,
      [
        'Gone: 20 people are no longer crm/lead on one crm/account each, 10 in all, and may no longer export and read it – 40 permissions',
      ],
    ],
    [
      'a role everywhere',
      base,
      [...base, ...people.map((who) => lead(who))],
      [
        'New: All 20 holders of role/crm/lead may now export and read any crm/account (10 recorded, and others) – 400 permissions',
      ],
    ],
    [
      'others among them',
      base,
      [...base, ...oneEach, lead('robot/r1', 3), lead('user/mallory', 1), lead('user/mallory', 2)],
      [
        'New: 22 subjects (21 user and 1 robot) became crm/lead on 1 to 2 crm/account each, 10 in all, and may now export and read these – 46 permissions',
      ],
    ],
    [
      'a policy of their own, by which they may do the same',
      base,
      [
        ...base,
        ...people.flatMap((who, index) => [
          record('policy', {
            ...{ application: 'crm', name: `p${index}`, effect: 'ALLOW' },
            resources: [{ resource: `crm/account/A-${index % 10}`, actions: ['read'] }],
          }),
          record('policy_assignment', { policy: `crm/p${index}`, entity_type: 'subject', entity: who }),
        ]),
      ],
      [],
    ],
  ])('says %s', (_, before, after, rows) => {
    const report = reportOf(before, after);
    if (rows.length > 0) expect(row(report)).toEqual(rows);
    else expect(report.groups).toEqual([]);
    const told = report.findings.reduce((sum, { triples }) => sum + triples, 0);
    expect(told).toBe(report.counts.gained + report.counts.lost);
  });

  it('names first those whose type, number of resources and past are the rarest', () => {
    const odd = [
      ...[0, 1, 2, 3].map((account) => lead('user/mallory', account)),
      lead('robot/r1', 4),
      lead('user/known', 5),
    ];
    const [group] = reportOf(base, [...base, ...oneEach, ...odd]).groups ?? [];
    expect(group?.rarest.slice(0, 4)).toEqual([
      {
        subject: 'user/mallory',
        resources: 4,
        first: ['crm/account/A-0', 'crm/account/A-1', 'crm/account/A-2'],
        newcomer: true,
        alike: 1,
      },
      { subject: 'robot/r1', resources: 1, first: ['crm/account/A-4'], newcomer: true, alike: 1 },
      { subject: 'user/known', resources: 1, first: ['crm/account/A-5'], newcomer: false, alike: 1 },
      { subject: 'user/p00', resources: 1, first: ['crm/account/A-0'], newcomer: true, alike: 20 },
    ]);
    expect(group?.rarest).toHaveLength(10);
  });

  it('keeps apart what differs in anything but names', () => {
    const everything = record('policy', {
      ...{ application: 'crm', name: 'all', effect: 'ALLOW', resource_type: 'crm/account', actions: ['*'] },
    });
    const toMallory = record('policy_assignment', {
      policy: 'crm/all',
      entity_type: 'subject',
      entity: 'user/mallory',
    });
    const report = reportOf(base, [...base, ...oneEach, everything, toMallory]);
    const text = renderAccessMarkdown(report, { allCommand: 'servicectl plan --all' });
    expect(text).toMatch(
      /⚠️ any action: <code>user\/mallory<\/code> may now do anything[\s\S]*Because <code>policy\/crm\/all<\/code> was added, <code>policy\/crm\/all<\/code> was given and <code>role\/crm\/lead<\/code> was given on <code>crm\/account<\/code>:\*\*\n\n- \*\*New:\*\* 21 people may now .* 1 to 10 .* each, 10 in all\. /,
    );
    expect(text).toContain(`All ${report.findings.length} findings, one by one: <code>servicectl plan --all</code>`);
    const all = renderAccessText(report, { all: true }).filter((line) => /^ {4}New/.test(line));
    expect(all).toHaveLength(report.findings.length);
  });
});
