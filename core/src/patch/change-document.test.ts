import { expect, it } from 'vitest';
import { readManifest } from '../manifest/read.js';
import type { StoredRecord } from '../records/registry.js';
import { patchDocument, readChangeDocument } from './change-document.js';

const NOW = Date.parse('2026-11-23T00:00:00Z');
const MADE = '2026-01-01T00:00:00.000Z';
const REVISION = '1.9f86d081884c7d65';
const TREE = `version: 1
stack: billing
subjects:
  user/alice: { name: Alice } # the first
groups:
  finance: # alice counts
    members:
      - user/alice   # since May
    roles: [billing/clerk]   # reads
applications:
  billing:
    resource_types:
      invoice: { actions: [read], properties: { amount: number } }   # a bill
    roles:
      clerk: {} # finance
      accountant: { includes: [clerk] }   # and more
    policies:
      read: { effect: ALLOW, resource_type: invoice, actions: [read], assigned_to: [role/billing/clerk, group/finance] }
`;

/** The lines that go and come. */
function patched(...moves: [string, string][]): string[] {
  const files = [{ path: 'main.yaml', text: TREE }];
  const records = (readManifest(files, { now: NOW }).manifest?.records ?? []).map(
    (record) =>
      ({
        ...record,
        ...{ id: record.address, managed_by: 'billing', created_at: MADE, updated_at: MADE, revision: 1 },
      }) as StoredRecord,
  );
  const changes = moves.map(([from, to]) => ({ op: 'move', from, to }));
  const document = readChangeDocument(JSON.stringify({ base_revision: REVISION, stack: 'billing', changes }));
  const { changed } = patchDocument(files, document, { tenant: 'acme', revision: REVISION, records }, NOW);
  const [before, after] = [TREE.split('\n'), (changed[0]?.text ?? '').split('\n')];
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line.trim()}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line.trim()}`),
  ];
}

const moved = (from: string, to: string) => ['+ moved:', `+ - from: ${from}`, `+ to: ${to}`];
const POLICY = 'read: { effect: ALLOW, resource_type: invoice, actions: [read], assigned_to: ';

it.each<[string, [string, string], string[]]>([
  [
    'a role',
    ['role/billing/clerk', 'role/billing/cashier'],
    [
      '- roles: [billing/clerk]   # reads',
      '- clerk: {} # finance',
      '- accountant: { includes: [clerk] }   # and more',
      `- ${POLICY}[role/billing/clerk, group/finance] }`,
      '+ roles: [billing/cashier]   # reads',
      '+ cashier: {} # finance',
      '+ accountant: { includes: [cashier] }   # and more',
      `+ ${POLICY}[role/billing/cashier, group/finance] }`,
    ],
  ],
  [
    'a subject',
    ['subject/user/alice', 'subject/user/alicia'],
    [
      '- user/alice: { name: Alice } # the first',
      '- - user/alice   # since May',
      '+ user/alicia: { name: Alice } # the first',
      '+ - user/alicia   # since May',
    ],
  ],
  [
    'an application, and the paths of all that it holds',
    ['application/billing', 'application/pay'],
    [
      '- roles: [billing/clerk]   # reads',
      '- billing:',
      `- ${POLICY}[role/billing/clerk, group/finance] }`,
      '+ roles: [pay/clerk]   # reads',
      '+ pay:',
      `+ ${POLICY}[role/pay/clerk, group/finance] }`,
    ],
  ],
])('renames %s where it stands and is mentioned, and leaves comments and other lines alone', (_, move, lines) => {
  const found = patched(move).filter((line) => !/finance:|alice counts/.test(line));
  expect(found).toEqual([...lines, ...moved(...move)]);
});

it('refuses another kind, and writes nothing', () => {
  expect(() => patched(['role/billing/clerk', 'group/clerk'])).toThrow(/a move keeps the kind of the record/);
});
