import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { below } from './cli/tenant.js';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
let env: Record<string, string>;
let base: string;

const TREE = {
  'tenant.yaml': `version: 1
stack: billing
# Who does what.
groups:
  finance: { members: [user/alice], roles: [billing/clerk] } # at the counter
`,
  'apps/billing.yaml': `applications:
  billing:
    resource_types:
      invoice: { actions: [read, approve], properties: { amount: number } }
    resources:
      INV-1: { type: invoice, properties: { amount: 120 } } # the first
    roles:
      clerk: # reads
      accountant: {}
    policies:
      read: { effect: ALLOW, resource_type: invoice, actions: [read], assigned_to: [role/billing/clerk] }
      # The limit of the board.
      approve:
        effect: ALLOW
        resource_type: invoice
        actions:
          - approve # alone
        condition: resource.properties.amount < 1000 # in euros
        assigned_to: [role/billing/accountant]
`,
  'people.yaml': `subjects:
  user/alice: {}
  # Left in spring.
  user/bob: { roles: [billing/accountant] }
`,
};

beforeAll(async () => {
  bench = await Workbench.create();
  env = await (await bench.startCloud()).tenant();
  await bench.write(below('other', { 'tenant.yaml': 'version: 1\nstack: other\ngroups: { board: {} }\n' }));
  await bench.json(['apply', 'other', '--yes'], { env });
  await bench.write(below('tenant', TREE));
  base = (await bench.json<{ revision: string }>(['apply', 'tenant', '--yes'], { env })).revision;
});
afterAll(() => bench.close());

const APPROVE = { application: 'billing', name: 'approve', effect: 'ALLOW', resource_type: 'billing/invoice' };
const CHANGES = [
  {
    op: 'update',
    address: 'policy/billing/approve',
    fields: { ...APPROVE, actions: ['approve', 'read'], condition: 'resource.properties.amount < 500', priority: 2 },
  },
  {
    op: 'update',
    address: 'role/billing/clerk',
    fields: { application: 'billing', name: 'clerk', description: 'Reads.' },
  },
  { op: 'create', kind: 'role', fields: { application: 'billing', name: 'auditor', includes: ['billing/clerk'] } },
  { op: 'create', kind: 'subject', fields: { type: 'user', id: 'carol', name: 'Carol' } },
  {
    op: 'create',
    kind: 'group_membership',
    fields: { group: 'finance', entity_type: 'subject', entity: 'user/carol' },
  },
  {
    op: 'create',
    kind: 'role_assignment',
    fields: { role: 'billing/auditor', entity_type: 'group', entity: 'board', expires_at: '2090-01-01T00:00:00Z' },
  },
  { op: 'create', kind: 'resource', fields: { type: 'billing/invoice', name: 'a/b', properties: { amount: 7 } } },
  { op: 'delete', address: 'role_assignment/billing/accountant//subject/user/bob' },
  { op: 'delete', address: 'subject/user/bob' },
];
const edited = (text: string, ...edits: [from: string, to: string][]) => {
  for (const [from] of edits) expect(text).toContain(from);
  return edits.reduce((all, [from, to]) => all.replace(from, to), text);
};
const added = (line: string, ...lines: string[]): [string, string] => [`${line}\n`, [line, ...lines, ''].join('\n')];
/** The tree with these changes. */
const PATCHED = {
  'tenant.yaml': edited(
    TREE['tenant.yaml'],
    ['[user/alice]', '[user/alice, user/carol]'],
    added(
      '# at the counter',
      'role_assignments:',
      '  - role: billing/auditor',
      '    to: group/board',
      '    expires_at: 2090-01-01T00:00:00.000Z',
      'external:',
      '  - group/board',
    ),
  ),
  'apps/billing.yaml': edited(
    TREE['apps/billing.yaml'],
    added('# the first', '      invoice/a%2Fb:', '        properties:', '          amount: 7'),
    added('clerk: # reads', '        # reads', '        description: Reads.'),
    ['clerk: # reads', 'clerk:'],
    added('      accountant: {}', '      auditor:', '        includes:', '          - billing/clerk'),
    added('- approve # alone', '          - read'),
    ['< 1000', '< 500'],
    added('[role/billing/accountant]', '        priority: 2'),
  ),
  'people.yaml': 'subjects:\n  user/alice: {}\n  user/carol:\n    name: Carol\n',
};
const document = (changes: object[], more: object = {}) =>
  JSON.stringify({ base_revision: base, stack: 'billing', changes, ...more });

async function filesOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(bench.path(folder), { recursive: true })).filter((name) => name.endsWith('.yaml'));
  return Object.fromEntries(
    await Promise.all(names.sort().map(async (name) => [name, await readFile(bench.path(folder, name), 'utf8')])),
  );
}

interface Plan {
  changes: { action: string; address: string }[];
}

it('shows the difference and writes nothing with --dry-run', async () => {
  const { code, stdout } = await bench.run(['patch', '-', 'tenant', '--dry-run'], { env, input: document(CHANGES) });
  expect(code).toBe(0);
  expect(stdout).toContain('--- a/tenant/apps/billing.yaml\n+++ b/tenant/apps/billing.yaml\n@@ ');
  expect(stdout).toContain('\n-        condition: resource.properties.amount < 1000 # in euros\n');
  expect(stdout).toContain('\n+        condition: resource.properties.amount < 500 # in euros\n');
  expect(await filesOf('tenant')).toEqual(TREE);
});

it.each<[string, () => string, RegExp]>([
  [
    'another stack',
    () => document(CHANGES, { stack: 'other' }),
    /for the stack "other", and this tree declares "billing"/,
  ],
  [
    'a record that another tree declares',
    () => document([{ op: 'delete', address: 'group/board' }]),
    /group\/board is not declared in this tree\. It belongs to the stack "other"/,
  ],
  [
    'what is there already, among what is right',
    () => document([...CHANGES, { op: 'create', kind: 'group', fields: { name: 'finance' } }]),
    /group\/finance is to be created and is declared at tenant\/tenant\.yaml:5 already/,
  ],
  [
    'a revision of another tenant',
    () => document(CHANGES, { base_revision: '99.0123456789abcdef' }),
    /made for revision 99\.0123456789abcdef, which the tenant/,
  ],
  [
    'what was changed since',
    () => document(CHANGES, { base_revision: '1.0123456789abcdef' }),
    /was changed in revision 3, and the change was made for 1\./,
  ],
  [
    'a rename to where another one stands',
    () => document([{ op: 'move', from: 'role/billing/clerk', to: 'role/billing/accountant' }]),
    /role\/billing\/accountant is to be created and is declared at tenant\/apps\/billing.yaml:9 already/,
  ],
  [
    'a rename beside another change of what mentions it',
    () =>
      document([
        CHANGES[0] as object,
        { op: 'move', from: 'resource_type/billing/invoice', to: 'resource_type/billing/bill' },
      ]),
    /policy\/billing\/approve is changed twice/,
  ],
  [
    'a rename into another application',
    () => document([{ op: 'move', from: 'role/billing/clerk', to: 'role/shop/clerk' }]),
    /Nothing was written/,
  ],
  ['a takeover', () => document([{ op: 'adopt', address: 'group/board' }]), /--take-ownership/],
  [
    'a field that there is not',
    () => document([{ op: 'create', kind: 'group', fields: { name: 'x', colour: 'red' } }]),
    /\/changes\/0\/fields\/colour /,
  ],
  [
    'what others still mention',
    () => document([{ op: 'delete', address: 'role/billing/accountant' }]),
    /billing\/accountant.*Nothing was written/,
  ],
  [
    'one record twice',
    () => document([CHANGES[8] as object, CHANGES[8] as object]),
    /subject\/user\/bob is changed twice/,
  ],
  ['no JSON', () => 'changes: []', /"standard input": It is not valid JSON.*Take the change document as the console/],
  ['what is no object', () => '[]', /"standard input": It is no change document: all of it /],
  ['a change of no form', () => document([{ op: 'paint' }]), /It is no change document: \/changes\/0\/op /],
])('refuses %s, and writes nothing', async (_, input, expected) => {
  const { code, stderr } = await bench.run(['patch', '-', 'tenant'], { env, input: input() });
  expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([1, expect.stringMatching(expected)]);
  expect(await filesOf('tenant')).toEqual(TREE);
});

it('names the file of a faulty document', async () => {
  await bench.write({ 'broken.json': '{' });
  const { code, stderr } = await bench.run(['patch', 'broken.json', 'tenant'], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining('"broken.json": It is not valid JSON')]);
});

it('keeps the line ends and the byte order mark of files', async () => {
  const foreign = (tree: Record<string, string>) =>
    Object.fromEntries(Object.entries(tree).map(([name, text]) => [name, `\uFEFF${text.replaceAll('\n', '\r\n')}`]));
  await bench.write(below('windows', foreign(TREE)));
  await bench.json(['patch', '-', 'windows'], { env, input: document(CHANGES) });
  expect(await filesOf('windows')).toEqual(foreign(PATCHED));
});

it('refuses a checkout that says something else than the tenant', async () => {
  const text = TREE['apps/billing.yaml'].replace('< 1000', '< 2000');
  await bench.write(below('ahead', { ...TREE, 'apps/billing.yaml': text }));
  const { code, stderr } = await bench.run(['patch', '-', 'ahead'], { env, input: document(CHANGES) });
  expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    1,
    expect.stringMatching(
      /policy\/billing\/approve at ahead\/apps\/billing.yaml:13 says something else than the tenant/,
    ),
  ]);
});

it('renames where a record stands and wherever it is mentioned, and the plan moves it', async () => {
  await bench.write(below('renamed', TREE));
  const moves = [
    { op: 'move', from: 'role/billing/clerk', to: 'role/billing/cashier' },
    { op: 'move', from: 'group/finance', to: 'group/money' },
  ];
  await bench.json(['patch', '-', 'renamed'], { env, input: document(moves) });
  expect(await filesOf('renamed')).toEqual({
    ...TREE,
    'tenant.yaml': edited(
      TREE['tenant.yaml'],
      ['finance: {', 'money: {'],
      ['billing/clerk', 'billing/cashier'],
      added(
        '# at the counter',
        'moved:',
        '  - from: role/billing/clerk',
        '    to: role/billing/cashier',
        '  - from: group/finance',
        '    to: group/money',
      ),
    ),
    'apps/billing.yaml': edited(
      TREE['apps/billing.yaml'],
      ['clerk: # reads', 'cashier: # reads'],
      ['role/billing/clerk', 'role/billing/cashier'],
    ),
  });
  const { counts, changes } = await bench.json<Plan & { counts: object }>(['plan', 'renamed'], { env });
  expect(counts).toMatchObject({ added: 0, removed: 0 });
  expect(changes.map(({ action, address }) => `${action} ${address}`)).toEqual(
    expect.arrayContaining(['move role/billing/cashier', 'move group/money']),
  );
});

it('writes each change where its record stands, keeps the comments, and the plan shows just that', async () => {
  await bench.write({ 'change.json': document(CHANGES) });
  const { files } = await bench.json(['patch', 'change.json', 'tenant'], { env });
  expect(files).toEqual(['tenant/apps/billing.yaml', 'tenant/people.yaml', 'tenant/tenant.yaml']);
  expect(await filesOf('tenant')).toEqual(PATCHED);
  const plan = await bench.json<Plan>(['plan', 'tenant'], { env });
  expect(plan.changes.map(({ action, address }) => `${action} ${address}`).sort()).toEqual([
    'create group_membership/finance//subject/user/carol',
    'create resource/billing/invoice/a%2Fb',
    'create role/billing/auditor',
    'create role_assignment/billing/auditor//group/board',
    'create subject/user/carol',
    'delete role_assignment/billing/accountant//subject/user/bob',
    'delete subject/user/bob',
    'update policy/billing/approve',
    'update role/billing/clerk',
  ]);
  await bench.json(['apply', 'tenant', '--yes', '--prune'], { env });
});
