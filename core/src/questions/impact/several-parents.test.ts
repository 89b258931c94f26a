import { describe, expect, it } from 'vitest';
import type { Kind } from '../../records/kinds.js';
import { type DeclaredRecord, declare, definitionOf } from '../../records/registry.js';
import type { Finding } from './api/finding.js';
import { computeImpact } from './compute-impact.js';

function record(kind: Kind, raw: Record<string, unknown>): DeclaredRecord {
  return declare(kind, definitionOf(kind).schema.parse(raw) as never) as DeclaredRecord;
}

const parents = [
  { type: 'docs/folder', property: 'folder' },
  { type: 'docs/folder', property: 'other' },
  { type: 'docs/team', property: 'team' },
];
const policy = (name: string, effect: string, fields: object) =>
  record('policy', { name, effect, actions: ['read'], ...fields });
const assigned = (policy: string, role: string) =>
  record('policy_assignment', { policy, entity_type: 'role', entity: role });
const holds = (role: string, resource: string) =>
  record('role_assignment', { role, entity_type: 'subject', entity: 'user/bert', resource });

/** Bert reads files below one folder. */
const tenant = [
  record('application', { name: 'docs' }),
  record('resource_type', { application: 'docs', name: 'team', actions: ['read'] }),
  record('resource_type', {
    ...{ application: 'docs', name: 'folder', actions: ['read'] },
    parents: [{ type: 'docs/folder', property: 'up' }],
  }),
  record('resource_type', { application: 'docs', name: 'file', actions: ['read'], parents }),
  record('resource', { type: 'docs/team', name: 'red' }),
  ...['hr', 'tax', 'plain'].map((name) => record('resource', { type: 'docs/folder', name })),
  record('resource', { type: 'docs/folder', name: 'inner', parents: ['docs/folder/tax'] }),
  record('subject', { type: 'user', id: 'bert' }),
  ...['reader', 'barred', 'auditor'].map((name) => record('role', { name })),
  policy('read', 'ALLOW', { resource_type: 'docs/file' }),
  assigned('read', 'reader'),
  holds('reader', 'docs/folder/hr'),
];
const bar = [policy('bar', 'DENY', { resource_type: 'docs/file' }), assigned('bar', 'barred')];

function gained(before: readonly DeclaredRecord[], after: readonly DeclaredRecord[]) {
  const { delta } = computeImpact({ records: before }, { records: after }, { now: Date.parse('2026-11-23') });
  return delta.findings.filter(
    ({ change, subjects }) => change !== 'lost' && change !== 'narrowed' && subjects.named_role === undefined,
  );
}

const placesOf = (findings: readonly Finding[]) =>
  findings
    .flatMap(({ change, resources }) => resources.map((one) => ({ change, ...one })))
    .map(({ change, which, below, and_below: more = [], among_others: among }) =>
      [change, which, below, ...more, ...(among ? ['others'] : [])].filter((text) => text !== undefined).join(' '),
    )
    .sort();

describe('what a resource without a record gains below several parents', () => {
  it.each<[string, DeclaredRecord[], DeclaredRecord[], string[]]>([
    [
      'where a DENY by the one goes that stopped an ALLOW by the other',
      [...bar, holds('barred', 'docs/folder/tax')],
      bar,
      [
        'gained unrecorded docs/folder/hr docs/folder/tax',
        'gained unsaid docs/folder/hr',
        'gained unsaid docs/folder/hr',
      ],
    ],
    [
      'where an ALLOW by the one outweighs a DENY by the other',
      [...bar, holds('barred', 'docs/folder/tax')],
      [
        ...[...bar, holds('barred', 'docs/folder/tax'), holds('auditor', 'docs/folder/hr')],
        ...[policy('audit', 'ALLOW', { priority: 1, resource_type: 'docs/file' }), assigned('audit', 'auditor')],
      ],
      [
        'gained unrecorded docs/folder/hr docs/folder/tax',
        'gained unsaid docs/folder/hr',
        'gained unsaid docs/folder/hr',
      ],
    ],
    [
      'where a role is held on the one, and its policy covers what lies below the other',
      [
        policy('team', 'ALLOW', {
          actions: undefined,
          resources: [{ resource: 'docs/team/red', actions: ['read'], below: true }],
        }),
      ],
      [
        policy('team', 'ALLOW', {
          actions: undefined,
          resources: [{ resource: 'docs/team/red', actions: ['read'], below: true }],
        }),
        ...[assigned('team', 'auditor'), holds('auditor', 'docs/folder/plain')],
      ],
      ['gained unrecorded docs/folder/plain docs/team/red'],
    ],
    [
      'where a DENY goes that applied since nobody said what else it lies below',
      [...bar, holds('barred', 'docs/team/red')],
      bar,
      ['gained unrecorded docs/folder/hr docs/team/red', 'gained unsaid docs/folder/hr'],
    ],
  ])('%s', (_, before, after, places) => {
    const findings = gained([...tenant, ...before], [...tenant, ...after]);
    expect(placesOf(findings)).toEqual(places);
    for (const { witness } of findings) expect([witness?.before, witness?.after]).toEqual([false, true]);
  });

  it('is told where conditions ask for more ancestors than one parent has', () => {
    const condition = 'resource.ancestors("docs/folder").size() == 3';
    const both = [policy('three', 'ALLOW', { resource_type: 'docs/file', condition })];
    const findings = gained(
      [...tenant, ...both],
      [...tenant, ...both, assigned('three', 'barred'), holds('barred', 'docs/team/red')],
    );
    expect(placesOf(findings)).toEqual(['unknown unrecorded docs/team/red others']);
    expect(findings.map((finding) => finding.condition)).toEqual([condition]);
  });

  it('is told where one DENY goes and another is there only if nobody says what else it lies below', () => {
    const open = [
      ...tenant,
      record('policy_assignment', { policy: 'read', entity_type: 'subject', entity: 'user/bert' }),
      ...bar,
      holds('barred', 'docs/team/red'),
    ];
    const findings = gained([...open, holds('barred', 'docs/folder/tax')], open);
    expect(placesOf(findings)).toEqual([
      'gained unrecorded docs/folder/tax',
      'gained unsaid',
      'gained unsaid docs/folder/hr',
      'gained unsaid docs/folder/hr',
    ]);
    for (const { witness } of findings) expect([witness?.before, witness?.after]).toEqual([false, true]);
  });

  it('says nothing of parents that make no difference together', () => {
    const findings = gained(tenant, [...tenant, holds('reader', 'docs/folder/plain')]);
    expect(placesOf(findings)).toEqual(['gained unrecorded docs/folder/plain']);
  });
});
