import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
  expect(stdout).toMatch(/^resource "service_role_assignment" "\S+" \{\n {2}role +=/);
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
