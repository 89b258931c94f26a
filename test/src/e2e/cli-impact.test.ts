/** `servicectl impact` and the Access part of plans: real repositories, a running cloud, its bundle, the real Terraform. */
import { execFileSync } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import type { AccessReport } from '@authz-service/core/questions/impact/report/access-report';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, billing } from './cli/tenant.js';
import { Workbench } from './cli/workbench.js';
import { PROVIDER } from './terraform/product.js';
import { hasTerraform, Workspace } from './terraform/workspace.js';

let bench: Workbench;
let cloud: Awaited<ReturnType<Workbench['startCloud']>>;
beforeAll(async () => {
  bench = await Workbench.create();
  cloud = await bench.startCloud();
  await bench.write(below('repo/tenant', billing()));
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  // Bob is an accountant; carol becomes one, and the limit rises above the one invoice's amount.
  await bench.write(below('repo/tenant', { ...billing(), 'people.yaml': PEOPLE }));
});
afterAll(() => bench.close());

const PEOPLE = `version: 1
subjects:
  user/alice: {}
  user/bob: { roles: [billing/accountant] }
  user/carol: { roles: [billing/accountant] }
`;

function git(...args: string[]): void {
  const who = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.com'];
  execFileSync('git', [...who, ...args], { cwd: bench.path('repo'), env: bench.environment({}) });
}

const NOW = ['--now', '2027-01-31T10:00:00Z'];
const OLD = 'main:tenant/';
const WRONG_TEST = `tests:
  - name: Nobody approves
    subjects: [user:carol]
    actions: [approve]
    resources: [invoice:INV-1]
    allowed: []
`;
/** The sentence about carol's gain. */
const CAROL = 'user/carol may now approve';
const impact = (...args: string[]) => bench.run(['impact', ...args], { cwd: 'repo' });
const report = (args: string[], options: { env?: Record<string, string>; code?: number; cwd?: string } = {}) =>
  bench.json<AccessReport & { before: string; after: string }>(['impact', ...args, ...NOW], {
    cwd: 'repo',
    ...options,
  });

describe('servicectl impact', () => {
  it('compares a Git revision with the folder, offline, and checks nothing out', async () => {
    const { code, stdout, stderr } = await impact(OLD, 'tenant', ...NOW);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Access: 1 permission gained, none lost\. /);
    expect(stdout).toContain(CAROL);
    const json = await report([OLD, 'tenant']);
    expect(json).toMatchObject({
      before: OLD,
      after: 'tenant',
      now: '2027-01-31T10:00:00.000Z',
      counts: { gained: 1, lost: 0, mixed: 0, unknown: 0 },
    });
    const back = await report(['tenant', OLD]);
    expect(back.counts).toEqual({ gained: 0, lost: 1, mixed: 0, unknown: 0 });
    expect(await report(['tenant', 'tenant'])).toMatchObject({ findings: [] });
  });

  it('prints a line for each recorded triple', async () => {
    const { stdout } = await impact(OLD, 'tenant', '--pairs');
    expect(stdout).toBe(
      '{"subject":"user/carol","action":"approve","resource":"billing/invoice/INV-1","before":"deny","after":"allow","change":"gained"}\n',
    );
  });

  it('prints Markdown, members, and counts without names', async () => {
    expect((await impact(OLD, 'tenant', '--markdown')).stdout).toContain('<code>user/carol</code> may now');
    const { findings } = await report([OLD, 'tenant', '--members']);
    expect(findings.some(({ members }) => members?.includes('user/carol'))).toBe(true);
    for (const args of [[], ['--markdown'], ['--json']]) {
      const { code, stdout } = await impact(OLD, 'tenant', '--counts-only', '--no-new-access', ...args);
      expect(code).toBe(1);
      expect(stdout).not.toMatch(/carol|INV|approve|accountant/);
    }
  });

  it('judges by gates, and leaves alone what the baseline has', async () => {
    await writeFile(
      bench.path('repo/never.yaml'),
      'not_granted:\n  - { subject: user:carol, action: approve, resource: invoice:* }\n',
    );
    const gates = [
      '--no-new-access',
      '--not-granted',
      'never.yaml',
      '--max-gained',
      '0',
      '--for',
      'user:* * invoice:*',
    ];
    const refused = await report([OLD, 'tenant', ...gates, '--write-baseline', 'known.json'], { code: 1 });
    expect(refused.gates?.map(({ gate, passed }) => [gate, passed])).toEqual([
      ['no-new-access', false],
      ['not-granted', false],
      ['max-gained', false],
    ]);
    const known = await report([OLD, 'tenant', ...gates, '--baseline', 'known.json']);
    expect(known.gates?.every(({ passed }) => passed)).toBe(true);
    expect(known.findings.every(({ acknowledged }) => acknowledged)).toBe(true);
    const back = await impact('tenant', OLD, ...gates.slice(0, 1), '--baseline', 'known.json');
    expect(back).toMatchObject({ code: 0, stderr: expect.stringContaining('no longer brings') });
  });

  it('writes SARIF and JUnit', async () => {
    await impact(OLD, 'tenant', '--no-new-access', '--sarif', 'out.sarif', '--junit', 'out.xml');
    const sarif = JSON.parse(await readFile(bench.path('repo/out.sarif'), 'utf8'));
    expect(sarif).toMatchObject({ version: '2.1.0', runs: [{ tool: { driver: { name: 'servicectl impact' } } }] });
    const { findings } = await report([OLD, 'tenant']);
    const fingerprints = sarif.runs[0].results.map(
      (result: { fingerprints: object }) => Object.values(result.fingerprints)[0],
    );
    expect(fingerprints.sort()).toEqual(findings.map(({ id }) => id).sort());
    expect(sarif.runs[0].results[0]).toMatchObject({ level: 'error', ruleId: expect.stringMatching(/^access-/) });
    expect(await readFile(bench.path('repo/out.xml'), 'utf8')).toMatch(
      /<testcase classname="access" name="no-new-access">\n {6}<failure/,
    );
  });

  it.each<[string, string[], RegExp, string?]>([
    [
      'an unknown revision',
      ['nope:tenant', 'tenant'],
      /"nope:tenant" cannot be read: Git knows no revision "nope" here/,
    ],
    ['an unknown path', ['main:nope', 'tenant'], /there is no "nope" in that revision/],
    ['a folder in no repository', [OLD, '.'], /needs a Git repository, which this folder is not in/, '.'],
    ['nothing of that name', ['nothing', 'tenant'], /"nothing" is not there/],
    ['one state alone', ['tenant'], /"tenant" is one state: name the one to compare it with/],
    ['a wrong time', [OLD, 'tenant', '--now', 'tomorrow'], /--now "tomorrow" is not a time/],
    ['a pattern without its gate', [OLD, 'tenant', '--for', '* * *'], /give --max-gained as well/],
    ['a pattern of nothing', [OLD, 'tenant', '--max-gained', '1', '--for', 'user:zoe * *'], /No subject "user:zoe"/],
    ['another file', ['tenant/../never.yaml', 'known.json'], /neither a bundle nor the output of "terraform show/],
  ])('refuses %s', async (_, args, message, cwd = 'repo') => {
    const { code, stdout, stderr } = await bench.run(['impact', ...args], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('reads paths from the current folder, and through links', async () => {
    await bench.write({ 'repo/more/real.yaml': 'version: 1\nroles: { auditor: {} }\n' });
    await symlink('real.yaml', bench.path('repo/more/link.yml'));
    git('add', '--all', 'more');
    git('commit', '--quiet', '--message', 'links', 'more');
    const twice = await bench.run(['impact', 'main:./more', 'tenant'], { cwd: 'repo' });
    expect(twice.stderr).toMatch(
      /more\/real\.yaml:2:\d+: role\/auditor: is declared twice, first at main:more\/link\.yml/,
    );
    const here = await bench.run(['impact', 'main:apps', '.'], { cwd: 'repo/tenant' });
    expect(here.stderr).toContain('Paths are from its top; from this folder it is "main:./apps"');
    expect(await report(['main:./', '.'], { cwd: 'repo/tenant' })).toMatchObject({ counts: { gained: 1 } });
  });
});

describe('where a state has access rules', () => {
  const tree = (actions: string) => `version: 1
applications:
  payroll:
    resource_types: { payslip: { actions: [read, approve] } }
    policies: { p: { effect: ALLOW, resource_type: payslip, actions: ${actions}, assigned_to: [user/ext] } }
subjects: { user/ext: {} }
access_rules: { no: { never: { subjects: user/ext, actions: [approve], resources: payroll/payslip } } }
`;

  it('refuses what breaks one, in every form', async () => {
    await bench.write({ 'ruled/old/a.yaml': tree('[read]'), 'ruled/new/a.yaml': tree('[read, approve]') });
    const run = (...more: string[]) => bench.run(['impact', 'old', 'new', ...NOW, ...more], { cwd: 'ruled' });
    const text = await run();
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(/✗ Access rules failed: The access rule "no" forbids it, and user\/ext may "approve"/);
    expect((await run('--markdown')).stdout).toMatch(/^### ❌ Refused: the access rule "no" forbids it/);
    const json = JSON.parse((await run('--json')).stdout);
    expect(json.gates).toEqual([expect.objectContaining({ gate: 'access-rules', passed: false })]);
    const kept = await bench.run(['impact', 'new', 'new', ...NOW], { cwd: 'ruled' });
    expect({ code: kept.code, out: kept.stdout }).toEqual({
      code: 0,
      out: expect.stringContaining('✓ Access rules passed: The change breaks no access rule.'),
    });
  });
});

describe('with a cloud', () => {
  let env: Record<string, string>;
  let client: ServiceClient;
  beforeAll(async () => {
    env = await cloud.tenant('compared');
    const { SERVICE_CLIENT_ID: clientId = '', SERVICE_CLIENT_SECRET: clientSecret = '' } = env;
    client = new ServiceClient({ url: cloud.url, credentials: { clientId, clientSecret } });
    await bench.write(below('applied', billing()));
    await bench.json(['apply', 'applied', '--yes', '--no-access'], { env });
    // Another stack's records stand on both sides.
    await client.records('group').create({ name: 'interns' });
    await client.records('subject').create({ type: 'user', id: 'dave' });
    await client.records('group_membership').create({ group: 'interns', entity_type: 'subject', entity: 'user/dave' });
    await client.records('role_assignment').create({ role: 'billing/clerk', entity_type: 'group', entity: 'interns' });
  });

  it('compares the tenant with a tree, of which it keeps the other stacks', async () => {
    const found = await report(['cloud', 'tenant'], { env });
    expect(found.counts).toEqual({ gained: 1, lost: 0, mixed: 0, unknown: 0 });
    expect((await report([env.SERVICE_CLOUD_URL ?? '', 'tenant'], { env })).counts).toEqual(found.counts);
  });

  it('compares a bundle, packed or not, and says what was not verified', async () => {
    const { secret } = await bench.json<{ secret: string }>(['keys', 'create', 'agent', '--scope', 'bundle'], { env });
    const headers = { authorization: `Bearer ${secret}` };
    const bundle = await fetch(`${env.SERVICE_CLOUD_URL}/v1/policies/bundle`, { headers });
    await writeFile(bench.path('repo/bundle.tar.gz'), Buffer.from(await bundle.arrayBuffer()));
    const jwks = await fetch(`${env.SERVICE_CLOUD_URL}/.well-known/jwks.json`);
    await writeFile(bench.path('repo/jwks.json'), await jwks.text());
    const told = await bench.run(['impact', 'bundle.tar.gz', 'cloud', '--json'], { cwd: 'repo', env });
    expect(JSON.parse(told.stdout)).toMatchObject({ findings: [] });
    expect(told.stderr).toMatch(/note: bundle.tar.gz: the digest .* verified; its signature was not: --bundle-jwks/);
    const verified = await bench.run(['impact', 'bundle.tar.gz', 'cloud', '--bundle-jwks', 'jwks.json'], {
      cwd: 'repo',
      env,
    });
    expect(verified).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('no change') });
    execFileSync('tar', ['-xzf', 'bundle.tar.gz', 'bundle.json'], { cwd: bench.path('repo') });
    expect((await report(['bundle.json', 'cloud'], { env })).findings).toEqual([]);
    const text = await readFile(bench.path('repo/bundle.json'), 'utf8');
    await writeFile(bench.path('repo/bundle.json'), text.replace('"interns"', '"Interns"'));
    const damaged = await bench.run(['impact', 'bundle.json', 'cloud'], { cwd: 'repo', env });
    expect(damaged).toMatchObject({ code: 1, stderr: expect.stringMatching(/bundle\.json: .*(digest|order)/) });
  });

  it('is in the plan, in every notation, and in what is saved of it', async () => {
    await bench.write(below('planned', { ...billing(), 'people.yaml': PEOPLE }));
    const text = await bench.run(['plan', 'planned', '--no-new-access', '--out', 'a.plan'], { env });
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(/unchanged\.\n\nAccess: 1 permission gained, none lost\./);
    expect(text.stdout).toContain(CAROL);
    expect(text.stdout).toMatch(/✗ --no-new-access failed: /);
    const { stdout: markdown } = await bench.run(['plan', 'planned', '--markdown'], { env });
    expect(markdown).toMatch(
      /^### ✅ May be applied: no access rule refuses it\.\n[\s\S]*\n#### Access: 1 permission gained, none lost\n[\s\S]*<code>user\/carol<\/code> may now[\s\S]*<summary>Records: 2 to add/,
    );
    const gated = await bench.run(['plan', 'planned', '--markdown', '--no-new-access'], { env });
    expect(gated.code).toBe(1);
    expect(gated.stdout).toMatch(
      /^### ❌ Must not be applied: gate --no-new-access failed: 2 findings would give new access\.\n[\s\S]*<summary>Records: /,
    );
    await bench.write(below('planned', { 'a.test.yaml': WRONG_TEST }));
    const tested = await bench.run(['plan', 'planned', '--markdown'], { env });
    expect(tested.code).toBe(1);
    expect(tested.stdout).toMatch(
      /^### ❌ Must not be applied: 1 of 1 test failed\.\n\n- Test failed: planned\/a\.test\.yaml:\d+: /,
    );
    await bench.write(below('broken', { ...billing(), 'people.yaml': 'subjects: 1\n' }));
    const broken = await bench.run(['plan', 'broken', '--markdown'], { env });
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(
      /^### ❌ Must not be applied, since it could not be judged: The tree .* has 2 faults\.\n\n- <code>broken\//,
    );
    const json = await bench.json<{ access: AccessReport }>(['plan', 'planned'], { env });
    expect(json.access).toMatchObject({ counts: { gained: 1, lost: 0, mixed: 0, unknown: 0 } });
    expect(await bench.json(['plan', 'planned', '--no-access'], { env })).not.toHaveProperty('access');
    const applied = await bench.run(['apply', 'a.plan', '--yes'], { env });
    expect(applied).toMatchObject({ code: 0, stderr: expect.stringContaining(CAROL) });
    expect(await bench.run(['plan', 'planned', '--no-access', '--no-new-access'], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--no-new-access needs what --no-access leaves out'),
    });
  });
});

it('sums up five hundred grants in a comment that somebody can read', async () => {
  const numbers = (length: number) => Array.from({ length }, (_, index) => index);
  const crm = `version: 1
stack: crm
applications:
  crm:
    resource_types:
      account: { actions: [read, update, export] }
    resources:
${numbers(200)
  .map((one) => `      account/A-${one}: {}\n`)
  .join('')}    roles:
      lead: { from_requests: false }
    policies:
      lead: { effect: ALLOW, resource_type: account, actions: [read, update, export], assigned_to: [role/crm/lead] }
subjects:
${numbers(600)
  .map((one) => `  user/p${one}: {}\n`)
  .join('')}`;
  const grants = numbers(500).map(
    (one) => `  - { role: crm/lead, to: user/p${one}, resource: crm/account/A-${(one * 7) % 200} }\n`,
  );
  await bench.write({ 'few/crm.yaml': crm, 'many/crm.yaml': crm });
  await bench.write({ 'many/grants.yaml': `version: 1\nrole_assignments:\n${grants.join('')}` });
  const { code, stdout } = await bench.run(['impact', 'few', 'many', '--markdown', '--max-gained', '100']);
  expect(code).toBe(1);
  expect(stdout.length).toBeLessThan(4000);
  expect(stdout.replaceAll(/<\/?code>/g, '')).toMatch(
    /^### ❌ Must not be applied: gate --max-gained failed: 1,500 permissions would be gained, more than 100\.\n[\s\S]*\n#### Access: 1,500 permissions gained, none lost\n[\s\S]*the rows add up to these\.\n[\s\S]*\n- \*\*New:\*\* 500 people became crm\/lead on one crm\/account each, 200 in all, and may now export, read and update it\. <sub>1,500 permissions<\/sub>\n[\s\S]*All 200 findings, one by one: servicectl impact few many --all/,
  );
  const all = await bench.run(['impact', 'few', 'many', '--all']);
  expect(all.stdout.match(/^ {4}New /gm)).toHaveLength(200);
});

describe.skipIf(!hasTerraform)('with Terraform', () => {
  const configuration = (effect: string) => `
resource "service_application" "shop" { name = "shop" }
resource "service_resource_type" "order" {
  application = service_application.shop.path
  name        = "order"
  actions     = ["read", "refund"]
}
resource "service_resource" "first" {
  type = service_resource_type.order.path
  name = "first"
}
resource "service_subject" "erin" {
  type = "user"
  id   = "erin"
}
resource "service_policy" "refund" {
  application   = service_application.shop.path
  name          = "refund"
  effect        = "ALLOW"
  resource_type = service_resource_type.order.path
  actions       = [${effect}]
}
resource "service_policy_assignment" "erin" {
  policy      = service_policy.refund.path
  entity_type = "subject"
  entity      = service_subject.erin.path
}`;

  it('compares what a saved plan found with what it will make', async () => {
    const env = await cloud.tenant('terraformed');
    const workspace = new Workspace({ providers: { service: PROVIDER }, env });
    try {
      const provider = 'provider "service" { stack = "shop" }\n';
      workspace.write(provider + configuration('"read"'));
      await workspace.apply();
      workspace.write(`${provider + configuration('"read", "refund"')}
resource "terraform_data" "later" { input = "x" }
resource "service_policy_assignment" "later" {
  policy      = service_policy.refund.path
  entity_type = "everyone"
  entity      = terraform_data.later.id
}`);
      await workspace.ok('plan', '-out=p.tfplan');
      await writeFile(bench.path('repo/plan.json'), (await workspace.run('show', '-json', 'p.tfplan')).stdout);
      const text = await bench.run(['impact', 'plan.json', '--max-gained', '1'], { cwd: 'repo' });
      expect(text.stdout).toMatch(/user\/erin may now refund /);
      expect(text.stdout).toMatch(
        /not known: service_policy_assignment\.later has values that are known only after the apply \(entity\)/,
      );
      // What is not known fails the gate that the rest would pass.
      expect(text).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(
          /^Access: not fully known \(service_policy_assignment\.later has values .*\); [\s\S]*✗ --max-gained failed: .*not known/,
        ),
      });
      expect((await report(['plan.json', '--with', 'cloud'], { env })).counts).toMatchObject({ gained: 1, lost: 0 });
      expect((await report(['cloud', 'plan.json'], { env })).counts).toMatchObject({ gained: 1, lost: 0 });
    } finally {
      workspace.remove();
    }
  });
});
