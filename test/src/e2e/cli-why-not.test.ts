import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, billing } from './cli/tenant.js';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
let env: Record<string, string>;

beforeAll(async () => {
  bench = await Workbench.create();
  env = await (await bench.startCloud()).tenant();
  await bench.write(below('tenant', billing({ subjects: ['alice', 'bob', 'carol'] })));
  await bench.json(['apply', 'tenant', '--yes'], { env });
}, 60_000);
afterAll(() => bench.close());

const QUESTION = ['user:carol', 'read', 'invoice:INV-1'];
const ON_INVOICE = 'role_assignment/billing/clerk//subject/user/carol//billing/invoice/INV-1';

it('proposes the same of the tenant and of the tree, what grants least first', async () => {
  const live = await bench.json<{ proposals: object[] }>(['why-not', ...QUESTION], { env });
  const tree = await bench.json<{ proposals: object[] }>(['why-not', ...QUESTION, '--against', 'tenant']);
  expect(tree.proposals).toEqual(live.proposals);
  expect(live).toMatchObject({
    allowed: false,
    proposals: [{ changes: [{ op: 'create', address: ON_INVOICE }], grants: 0, exact: true }, {}, {}, {}],
  });
});

it('prints a proposal as Terraform configuration', async () => {
  const { stdout } = await bench.run(['why-not', ...QUESTION, '--hcl'], { env });
  expect(stdout).toContain(`# Add ${ON_INVOICE}:\n`);
  expect(stdout).toMatch(/^resource "service_role_assignment" "\S+" \{\n {2}role +=/m);
  expect(stdout).toMatch(/resource +"?=? *"billing\/invoice\/INV-1"/);
});

it('writes a proposal into the tree, which then allows it', async () => {
  const before = await readFile(bench.path('tenant/apps/billing.yaml'), 'utf8');
  const { files } = await bench.json(['why-not', ...QUESTION, '--against', 'tenant', '--patch']);
  expect(files).toEqual(['tenant/apps/billing.yaml']);
  const after = await readFile(bench.path('tenant/apps/billing.yaml'), 'utf8');
  const added = 'role_assignments:\n  - role: billing/clerk\n    to: user/carol\n    resource: billing/invoice/INV-1\n';
  expect(after).toBe(before + added);
  await bench.json(['apply', 'tenant', '--yes'], { env });
  const answer = await bench.json(['authorize', '-s', 'user:carol', '-a', 'read', '-r', 'invoice:INV-1'], { env });
  expect(answer.decision).toBe(true);
  const { stdout } = await bench.run(['why-not', ...QUESTION], { env });
  expect(stdout).toMatch(/^allowed already: /);
});

it('refuses to patch without a tree, and a proposal that there is not', async () => {
  const alone = await bench.run(['why-not', ...QUESTION, '--patch'], { env });
  expect([alone.code, alone.stderr]).toEqual([1, expect.stringMatching(/--against/)]);
  const many = await bench.run(['why-not', 'user:bob', 'read', 'invoice:INV-1', '--hcl', '--choose', '99'], { env });
  expect([many.code, many.stderr]).toEqual([1, expect.stringMatching(/There is no proposal 99/)]);
});

describe('a DENY', () => {
  const FROZEN = `version: 1
applications:
  app:
    resource_types: { doc: { actions: [read], properties: { amount: number } } }
    resources: { d: { type: doc, properties: { amount: 12500 } } }
    policies:
      read: { effect: ALLOW, resource_type: doc, actions: [read], assigned_to: [everyone] }
      # While the books are closed.
      freeze:
        effect: DENY
        priority: 5
        resource_type: doc
        actions: [read]
        condition: has(resource.properties.amount) && resource.properties.amount >= 10000
        assigned_to: [user/ann]
subjects: { user/ann: {} }
`;
  const ASKED = ['user:ann', 'read', 'doc:d', '--against', 'frozen'];
  const ASSIGNMENT = 'policy_assignment/app/freeze//subject/user/ann';

  beforeAll(() => bench.write({ 'frozen/a.yaml': FROZEN }));

  it('is shown with the clauses that apply and their values, and how it could go', async () => {
    const { stdout } = await bench.run(['why-not', ...ASKED]);
    expect(stdout).toContain('policy/app/freeze (DENY) applies: all that it requires holds');
    expect(stdout).toContain('✓ resource.properties.amount >= 10000: true (12500)');
    expect(stdout).toContain(
      `1. remove ${ASSIGNMENT} (takes away a protection)\n   grants nothing else that is recorded, but also`,
    );
    expect(stdout).toMatch(/\d\. remove policy\/app\/freeze with its assignments/);
  });

  it('is removed in HCL as a comment that has the block and its address', async () => {
    const { stdout } = await bench.run(['why-not', ...ASKED, '--hcl', '--choose', '1']);
    expect(stdout).toContain(`# Remove the block of ${ASSIGNMENT}`);
    expect(stdout).toMatch(/^# resource "service_policy_assignment" /m);
    expect(stdout).not.toMatch(/^resource /m);
  });

  it('is removed from the files', async () => {
    const unasked = await bench.run(['why-not', ...ASKED, '--patch']);
    expect([unasked.code, unasked.stderr]).toEqual([1, expect.stringMatching(/takes away a protection.*--choose 1/)]);
    expect(await readFile(bench.path('frozen/a.yaml'), 'utf8')).toBe(FROZEN);
    await bench.json(['why-not', ...ASKED, '--patch', '--choose', '1']);
    expect(await readFile(bench.path('frozen/a.yaml'), 'utf8')).toBe(
      FROZEN.replace('        assigned_to: [user/ann]\n', ''),
    );
  });
});

it('says first what the caller could do', async () => {
  const text = `version: 1
applications:
  app:
    resource_types: { doc: { actions: [read] } }
    resources: { d: { type: doc } }
    policies:
      read: { effect: ALLOW, resource_type: doc, actions: [read], condition: context.mfa, assigned_to: [user/ann] }
subjects: { user/ann: {} }
`;
  await bench.write({ 'factor/a.yaml': text });
  const { stdout } = await bench.run(['why-not', 'user:ann', 'read', 'doc:d', '--against', 'factor']);
  expect(stdout).toMatch(
    /\n\nAllowed without a change to the records with a second factor \(context\.mfa\):\n {3}ask with a second factor: context\.mfa = true\n\nEach of these changes/,
  );
  expect(stdout).toContain('1. take the clause context.mfa out of policy/app/read (takes away a protection)\n');
});

it('names the rule that would refuse a proposal, and ranks it last', async () => {
  const rules = `applications: { billing: { resources: { INV-2: { type: invoice } } } }
access_rules:
  no-clerks: { never: { subjects: { named: [user/carol] }, actions: [read], resources: { named: [billing/invoice/INV-2] } } }
`;
  await bench.write({ ...below('ruled', billing({ subjects: ['alice', 'bob', 'carol'] })), 'ruled/rules.yaml': rules });
  const { stdout } = await bench.run(['why-not', ...QUESTION, '--against', 'ruled', '--weigh', '2']);
  expect(stdout).toContain('1. give role/billing/clerk to subject/user/carol on resource/billing/invoice/INV-1\n');
  expect(stdout).toMatch(/2\. ✗ .*\n.*\n {3}would be refused: The access rule "no-clerks" forbids it/);
  expect(stdout).toMatch(/\d+ that would allow it, too, were not weighed/);
});
