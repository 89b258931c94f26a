import { expect, it } from 'vitest';
import { readManifest } from '../manifest/read.js';
import { type DeclaredRecord, declare } from '../records/registry.js';
import { patchTree } from './patch-tree.js';

const TREE = `version: 1
defaults: { from_requests: false }
applications:
  pay:
    resource_types:
      invoice: { actions: [read] }
    roles:
      clerk: {}
`;
const FILES = [{ path: 'a.yaml', text: TREE }];
const records = new Map(readManifest(FILES).manifest?.records.map((record) => [record.address, record]));
const clerk = records.get('role/pay/clerk') as DeclaredRecord;
const invoice = records.get('resource_type/pay/invoice') as DeclaredRecord;
const type = { application: 'pay', name: 'invoice', actions: ['read'] };
const role = (fields: object) => declare('role', { application: 'pay', ...fields } as never);

it.each([
  [
    'a new role that requests may name',
    { after: role({ name: 'guest' }) },
    '+      guest:\n+        from_requests: true',
  ],
  [
    'a new role that they may not',
    { after: role({ name: 'guest', from_requests: false }) },
    '+      guest:\n+        from_requests: false',
  ],
  ['a role that they may name from now on', { before: clerk, after: role({ name: 'clerk' }) }, 'from_requests: true'],
  [
    'another change of a role',
    { before: clerk, after: role({ name: 'clerk', from_requests: false, description: 'x' }) },
    'description: x',
  ],
  ['a type that takes all', { before: invoice, after: declare('resource_type', type as never) }, 'from_requests: true'],
  [
    'another change of a type',
    { before: invoice, after: declare('resource_type', { ...type, from_requests: [], actions: ['pay'] } as never) },
    'actions: [pay]',
  ],
])('writes %s into a tree whose default takes nothing from requests', (_, change, wanted) => {
  const { changed } = patchTree(FILES, { changes: [change] }, 0);
  const before = new Set(TREE.split('\n'));
  const text = changed[0]?.text ?? '';
  const lines = text.split('\n').filter((line) => !before.has(line));
  for (const part of wanted.split('\n')) expect(lines.join('\n')).toContain(part.replace(/^\+\s*/, ''));
  expect(text.match(/from_requests/g)?.length).toBe(wanted.includes('from_requests') ? 2 : 1);
});
