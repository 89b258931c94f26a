import { expect, it } from 'vitest';
import type { Kind } from '../records/kinds.js';
import { declare, definitionOf, type StoredRecord } from '../records/registry.js';
import type { Change } from './change.js';
import { recordChangesOf } from './record-changes.js';
import { TenantState } from './tenant-state.js';

const stored = (kind: Kind, raw: object) =>
  ({
    ...declare(kind, definitionOf(kind).schema.parse(raw) as never),
    id: `id of ${JSON.stringify(raw)}`,
  }) as StoredRecord;

const records = [stored('role', { name: 'a' }), stored('role', { name: 'b' }), stored('group', { name: 'g' })];

it.each<[string, Change[], string[]]>([
  ['a creation', [{ op: 'create', kind: 'role', fields: { name: 'c' } }], [' > role/c']],
  ['a deletion', [{ op: 'delete', address: 'group/g' }], ['group/g > ']],
  ['an update', [{ op: 'update', address: 'role/a', fields: { name: 'a', description: 'x' } }], ['role/a > role/a']],
  ['a move', [{ op: 'move', from: 'role/a', to: 'role/c' }], [' > role/c', 'role/a > ']],
  [
    'a swap of two',
    [
      { op: 'move', from: 'role/a', to: 'role/b' },
      { op: 'move', from: 'role/b', to: 'role/a' },
    ],
    ['role/a > role/a', 'role/b > role/b'],
  ],
  ['a schema', [{ op: 'create', kind: 'subject_type', fields: { name: 'user' } }], []],
  [
    'a schema that says what requests may send',
    [{ op: 'create', kind: 'subject_type', fields: { name: 'user', from_requests: [] } }],
    [' > subject_type/user'],
  ],
  ['a credential', [{ op: 'create', kind: 'api_key', fields: { name: 'k', scopes: ['bundle'] } }], []],
])('%s changes one address at a time', (_, changes, wanted) => {
  const state = new TenantState(records);
  const staged = state.stage(changes, { now: new Date(0), newId: () => 'new', revision: 1 });
  const made = recordChangesOf(staged);
  expect(made.map(({ before, after }) => `${before?.address ?? ''} > ${after?.address ?? ''}`).sort()).toEqual(wanted);
  for (const { before, after } of made) if (before && after) expect(after).not.toEqual(before);
});
