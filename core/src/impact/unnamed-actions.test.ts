import { expect, it } from 'vitest';
import type { Kind } from '../records/kinds.js';
import { type DeclaredRecord, declare, definitionOf } from '../records/registry.js';
import { finished } from '../time-slicing.js';
import { computeImpact } from './compute-impact.js';

function record(kind: Kind, raw: Record<string, unknown>): DeclaredRecord {
  return declare(kind, definitionOf(kind).schema.parse(raw) as never) as DeclaredRecord;
}

it('finds an action that only a condition names', () => {
  const condition = 'action.name == "purge"';
  const before = [
    record('application', { name: 'docs' }),
    record('resource_type', { application: 'docs', name: 'file', actions: ['read'] }),
    record('policy', { name: 'p', effect: 'ALLOW', resource_type: 'docs/file', actions: ['*'], condition }),
  ];
  const after = [...before, record('policy_assignment', { policy: 'p', entity_type: 'everyone', entity: '*' })];
  const { delta } = finished(computeImpact({ records: before }, { records: after }, { now: 0 }));
  expect(delta.findings).toMatchObject([
    { change: 'gained', actions: ['purge'], witness: { after: true, request: { action: { name: 'purge' } } } },
  ]);
});
