import { describe, expect, it } from 'vitest';
import { type DeclaredRecord, declare } from '../../records/registry.js';
import { computeImpact } from './compute-impact.js';

const BASE = [
  declare('application', { name: 'docs' }),
  declare('resource_type', { application: 'docs', name: 'file', actions: ['read'] }),
  ...['note', 'plan'].map((name) => declare('resource', { type: 'docs/file', name })),
  ...['anne', 'bert'].map((id) => declare('subject', { type: 'user', id })),
  declare('policy', { name: 'files', effect: 'ALLOW', priority: 0, resource_type: 'docs/file', actions: ['read'] }),
] as DeclaredRecord[];

function impactOf(id: string) {
  const given = declare('policy_assignment', { policy: 'files', entity_type: 'subject', entity: `user/${id}` });
  const after = [...BASE, given as DeclaredRecord];
  return computeImpact({ records: BASE }, { records: after }, { now: Date.parse('2026-11-23T00:00:00Z') });
}

describe('what a finding is about', () => {
  it('is told for a copy of it, too', () => {
    const { delta, subjectsOf, resourcesOf } = impactOf('anne');
    const [finding] = delta.findings;
    if (finding === undefined) throw new Error('there is a finding');
    const copy = { ...finding, acknowledged: true };
    expect([subjectsOf(copy), resourcesOf(copy)]).toEqual([['user/anne'], ['docs/file/note', 'docs/file/plan']]);
  });

  it('is not told for one of another impact, so that no gate takes it for nothing', () => {
    const [finding] = impactOf('bert').delta.findings;
    expect(() => impactOf('anne').subjectsOf(finding as never)).toThrow('is of another impact');
  });
});
