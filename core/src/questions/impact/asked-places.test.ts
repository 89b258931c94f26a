import { describe, expect, it } from 'vitest';
import type { Kind } from '../../records/kinds.js';
import { type DeclaredRecord, declare, definitionOf } from '../../records/registry.js';
import { computeImpact } from './compute-impact.js';

function record(kind: Kind, raw: Record<string, unknown>): DeclaredRecord {
  return declare(kind, definitionOf(kind).schema.parse(raw) as never) as DeclaredRecord;
}

const NOW = Date.parse('2026-11-23T00:00:00Z');
const folder = { type: 'docs/folder', property: 'folder' };
const other = { type: 'docs/folder', property: 'other' };
const tenant = [
  record('application', { name: 'docs' }),
  record('resource_type', { application: 'docs', name: 'folder', actions: ['read'], parents: [folder] }),
  record('resource_type', { application: 'docs', name: 'file', actions: ['read'], parents: [folder, other] }),
  ...['open', 'hr'].map((name) => record('resource', { type: 'docs/folder', name })),
  record('subject', { type: 'user', id: 'bert' }),
  record('role', { name: 'auditor' }),
];
const pay = (n: number) => record('resource', { type: 'docs/folder', name: 'pay', properties: { n } });
const auditorIn = (name: string) =>
  record('role_assignment', {
    ...{ role: 'auditor', entity_type: 'subject', entity: 'user/bert' },
    resource: `docs/folder/${name}`,
  });
/** Returns what bert may read below the folder `open`, if the condition holds. */
const opened = (condition: string) => [
  record('policy', {
    ...{ name: 'opened', effect: 'ALLOW', condition },
    resources: [{ resource: 'docs/folder/open', actions: ['read'], below: true }],
  }),
  record('policy_assignment', { policy: 'opened', entity_type: 'subject', entity: 'user/bert' }),
];
const AUDITOR = 'subject.has_role("auditor")';
const MARKED = 'resource.ancestors("docs/folder").exists(r, r.properties.n > 1)';

const lying = (name: string) => `resource.ancestors("docs/folder").exists(r, r.name == "${name}")`;

describe('a file below a folder and below another, about which the condition of a policy on the first asks', () => {
  it.each<[string, DeclaredRecord[], DeclaredRecord[], object]>([
    [
      'is gained and lost where a role moves from one other folder to another',
      [...tenant, pay(1), ...opened(AUDITOR), auditorIn('hr')],
      [...tenant, pay(1), ...opened(AUDITOR), auditorIn('pay')],
      { change: 'changed', condition_before: lying('hr'), condition: lying('pay') },
    ],
    [
      'is gained where a property of the other folder changes',
      [...tenant, pay(1), ...opened(MARKED)],
      [...tenant, pay(2), ...opened(MARKED)],
      { change: 'unknown', condition_before: MARKED, condition: MARKED },
    ],
  ])('%s', (_, before, after, said) => {
    const { findings } = computeImpact({ records: before }, { records: after }, { now: NOW }).delta;
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject(said);
    expect(findings[0]?.resources).toContainEqual(
      expect.objectContaining({ type: 'docs/file', below: 'docs/folder/open', among_others: true }),
    );
    // The engine has answered it.
    expect(findings[0]?.witness).toMatchObject({
      request: { resource: { properties: { folder: 'open', other: 'pay' } } },
      ...{ before: false, after: true },
    });
  });

  it('changes nothing where the role stays', () => {
    const state = [...tenant, pay(1), ...opened(AUDITOR), auditorIn('hr')];
    const after = [...state, record('role', { name: 'other' })];
    expect(computeImpact({ records: state }, { records: after }, { now: NOW }).delta.findings).toEqual([]);
  });
});
