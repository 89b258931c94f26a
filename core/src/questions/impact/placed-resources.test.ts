import { describe, expect, it } from 'vitest';
import type { Kind } from '../../records/kinds.js';
import { type DeclaredRecord, declare, definitionOf } from '../../records/registry.js';
import { computeImpact } from './compute-impact.js';

function record(kind: Kind, raw: Record<string, unknown>): DeclaredRecord {
  return declare(kind, definitionOf(kind).schema.parse(raw) as never) as DeclaredRecord;
}

const parents = [{ type: 'docs/folder', property: 'folder' }];
const recorded = [
  record('application', { name: 'docs' }),
  record('resource_type', { application: 'docs', name: 'folder', actions: ['read'] }),
  record('resource_type', { application: 'docs', name: 'file', actions: ['read'], parents }),
  record('resource', { type: 'docs/folder', name: 'hr' }),
  record('resource', { type: 'docs/file', name: 'note' }),
  record('subject', { type: 'user', id: 'bert' }),
  record('role', { name: 'reader' }),
  record('policy', { name: 'files', effect: 'ALLOW', resource_type: 'docs/file', actions: ['read'] }),
  record('policy_assignment', { policy: 'files', entity_type: 'role', entity: 'reader' }),
  record('role_assignment', {
    role: 'reader',
    entity_type: 'subject',
    entity: 'user/bert',
    resource: 'docs/folder/hr',
  }),
];

function impactOf(before: DeclaredRecord[], after: DeclaredRecord[]) {
  return computeImpact({ records: before }, { records: after }, { now: Date.parse('2026-11-23T00:00:00Z') });
}

describe('a resource that loses its record', () => {
  const placed = (finding: { resources: readonly { which: string; below?: string; names?: readonly string[] }[] }) =>
    finding.resources.filter(({ names }) => names?.includes('docs/file/note'));
  const gone = recorded.filter(({ address }) => address !== 'resource/docs/file/note');

  it('lies from then on where requests say, which whoever has a role there gains', () => {
    const { delta, resourcesOf } = impactOf(recorded, gone);
    const gained = delta.findings.filter(({ change }) => change === 'gained');
    expect(gained.flatMap(placed)).toEqual([
      { type: 'docs/file', which: 'unrecorded', below: 'docs/folder/hr', names: ['docs/file/note'], recorded: 0 },
    ]);
    expect(gained.map((finding) => [finding.witness?.before, finding.witness?.after, finding.triples])).toEqual([
      [false, true, 0],
    ]);
    expect(gained.map(resourcesOf)).toEqual([['docs/file/note']]);
    expect(delta.counts.gained).toBe(0);
  });

  it('is lost there once it has a record elsewhere', () => {
    const lost = impactOf(gone, recorded).delta.findings.filter(({ change }) => change === 'lost');
    expect(lost.flatMap(placed)).toHaveLength(1);
  });

  it('is named with the folder as an exception where all access but that by a role in the folder is lost', () => {
    const noted = [
      ...recorded,
      record('policy', { name: 'n', effect: 'ALLOW', resources: [{ resource: 'docs/file/note', actions: ['read'] }] }),
      record('policy_assignment', { policy: 'n', entity_type: 'subject', entity: 'user/bert' }),
    ];
    expect(impactOf(noted, gone).delta.findings.map(({ change, resources }) => ({ change, resources }))).toEqual([
      {
        change: 'lost',
        resources: [
          { type: 'docs/file', which: 'named', names: ['docs/file/note'], not_below: ['docs/folder/hr'], recorded: 1 },
        ],
      },
    ]);
  });

  it('is not named as a whole where a DENY in the folder stops only who does not say that it lies elsewhere', () => {
    const below = [{ resource: 'docs/folder/hr', actions: ['read'], below: true }];
    const shut = [
      ...gone,
      record('policy_assignment', { policy: 'files', entity_type: 'everyone', entity: 'user' }),
      record('policy', { name: 'shut', effect: 'DENY', resources: below }),
      record('policy_assignment', { policy: 'shut', entity_type: 'everyone', entity: '*' }),
    ];
    const { findings } = impactOf([...shut, record('resource', { type: 'docs/file', name: 'note' })], shut).delta;
    const told = findings.filter(({ subjects }) => subjects.named_role === undefined);
    expect(told.map(({ change, resources }) => ({ change, resources }))).toEqual([
      {
        change: 'lost',
        resources: [
          { type: 'docs/file', which: 'unsaid', names: ['docs/file/note'], recorded: 1 },
          { type: 'docs/file', which: 'unrecorded', below: 'docs/folder/hr', names: ['docs/file/note'], recorded: 0 },
        ],
      },
    ]);
  });
});
