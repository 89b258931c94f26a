import { expect, it } from 'vitest';
import { type DeclaredRecord, declare, definitions, type StoredRecord } from '../records/registry.js';
import { plan } from './diff.js';

const record = (kind: DeclaredRecord['kind'], fields: Record<string, unknown>) =>
  declare(kind, definitions[kind].schema.parse(fields) as never) as DeclaredRecord;
const stored = (declared: DeclaredRecord, managed_by = 'main') =>
  ({ ...declared, id: declared.address, managed_by, created_at: '', updated_at: '', revision: 1 }) as StoredRecord;
const asking = (name: string, role: string) =>
  record('policy', {
    ...{ name, effect: 'ALLOW', resource_type: 'docs/page', actions: ['read'] },
    condition: `subject.has_role("${role}")`,
  });

it('shows how a rename rewrites the conditions that name what is renamed, and whose these are', () => {
  const records = [record('role', { name: 'b' }), asking('p', 'b')];
  const held = [stored(record('role', { name: 'a' })), stored(asking('p', 'a')), stored(asking('q', 'a'), 'hr')];
  const { changes, followers } = plan(
    { records, moves: [{ from: 'role/a', to: 'role/b' }], stack: 'main' },
    { tenant: 'acme', revision: '3.0123456789abcdef', records: held },
  );
  const [before, after] = ['subject.has_role("a")', 'subject.has_role("b")'];
  expect(changes).toMatchObject([
    { action: 'move', address: 'role/b' },
    { action: 'update', address: 'policy/p', differences: [{ pointer: '/condition', before, after }] },
  ]);
  expect(followers).toMatchObject([{ address: 'policy/q', managed_by: 'hr' }]);
});
