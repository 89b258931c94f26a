import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { EmbeddedPdp } from '@authz-service/embedded';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { below } from './cli/tenant.js';
import { Workbench } from './cli/workbench.js';

const PAGE = fileURLToPath(new URL('../../../docs/environments.md', import.meta.url));
const DEV = 'name: dev\nvariables: { limit: 100 }\n';

interface Compared {
  findings: { causes: object[][] }[];
}

let bench: Workbench;
/** The environment variables of a tenant called acme-prod. */
let env: Record<string, string>;
/** The files of the page, by their names. */
let tree: Record<string, string>;

beforeAll(async () => {
  bench = await Workbench.create();
  env = await (await bench.startCloud()).tenant('acme-prod');
  const page = await readFile(PAGE, 'utf8');
  const blocks = [...page.matchAll(/```yaml\n# (\S+)\n(.*?)```/gs)];
  tree = { ...Object.fromEntries(blocks.map(([, name, text]) => [name, text])), 'environments/dev.yaml': DEV };
  await bench.write(below('tenant', tree));
});
afterAll(() => bench.close());

function git(...args: string[]): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  execFileSync('git', [...who, ...args], { cwd: bench.folder, env: bench.environment({}) });
}

it('is validated in each environment, and by itself where its variables have defaults', async () => {
  const { stdout, code } = await bench.run(['validate', 'tenant', '--strict']);
  expect(stdout).toMatch(/✓ in dev: \d+ records\n✓ in prod: \d+ records\n✓ \d+ records in 2 files: valid/);
  expect(code).toBe(0);
  expect(await bench.json(['validate', 'tenant'])).toMatchObject({
    valid: true,
    environments: [{ name: 'dev' }, { name: 'prod', valid: true }],
  });
  const open = await bench.run(['plan', 'tenant'], { env });
  expect(open.stderr).toContain('"var.limit" has no value: give it one in the environment');
  const unknown = await bench.run(['validate', 'tenant', '-e', 'prd']);
  expect(unknown.stderr).toContain('has no environment "prd": there is no environments/prd.yaml. It has dev, prod.');
  expect((await bench.run(['validate', 'tenant', '-e', '../x'])).code).toBe(1);
});

it('names each fault once, in the file that is wrong', async () => {
  await bench.write(below('faulty', tree));
  await bench.write({
    'faulty/environments/dev.yaml': `${DEV}remove: [user/nobody]\n`,
    'faulty/more.yaml': 'role: {}\n',
  });
  const { stdout, code } = await bench.run(['validate', 'faulty']);
  expect(code).toBe(1);
  expect(stdout.match(/faulty\/more\.yaml:1:1: error/g)).toHaveLength(1);
  expect(stdout).toContain(
    'faulty/environments/dev.yaml:3:10: error: remove[0]: subject/user/nobody is not in the base',
  );
  expect(stdout).toContain('✗ in dev: not valid');
});

it('is tested, linted and compared in an environment', async () => {
  const tested = await bench.json<{ passed: number }>(['test', 'tenant', '-e', 'prod'], { code: 0 });
  expect(tested.passed).toBe(1);
  expect((await bench.run(['test', 'tenant', '-e', 'dev'])).stderr).toContain('No test is for the environment "dev".');
  expect((await bench.run(['lint', 'tenant', '-e', 'prod'])).stdout).toContain('0 proven');
  const impact = await bench.run(['impact', 'tenant', '-e', 'dev', '-e', 'prod']);
  expect(impact.stdout).toContain('New        user/ann may now approve and read billing/invoice/INV-1');
  expect(impact.stdout).toContain('user/tester no longer has role/billing/accountant');
  const pdp = await EmbeddedPdp.fromTree(bench.path('tenant'), { environment: 'prod' });
  const question = {
    subject: { type: 'user', id: 'ann' },
    action: { name: 'approve' },
    resource: { type: 'invoice', id: 'INV-1' },
    context: { ip: '198.51.100.7' },
  };
  expect(pdp.isAllowed(question)).toBe(true);
});

it('names the line of an environment that brings a difference of access, also one that it takes away', async () => {
  const causesOf = async (...environments: string[]) => {
    const { findings } = await bench.json<Compared>([
      'impact',
      'tenant',
      ...environments.flatMap((name) => ['-e', name]),
    ]);
    return findings.flatMap(({ causes }) => causes.flat());
  };
  const inProd = (text: string) => {
    const lines = (tree['environments/prod.yaml'] ?? '').split('\n');
    return { file: 'tenant/environments/prod.yaml', line: lines.findIndex((line) => line.includes(text)) + 1 };
  };
  const causes = await causesOf('dev', 'prod');
  const role = 'role_assignment/billing/accountant//subject/user/tester';
  expect(causes).toContainEqual({
    address: 'policy/billing/approve',
    change: 'changed',
    ...inProd('approve: { priority: 20'),
  });
  expect(causes).toContainEqual({ address: role, change: 'removed', ...inProd('- user/tester') });
  expect(await causesOf('prod', 'dev')).toContainEqual({ address: role, change: 'added', ...inProd('- user/tester') });
});

it('is planned and applied to its tenant, from Git too', async () => {
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all', 'tenant');
  git('commit', '--quiet', '--message', 'tree');
  expect((await bench.run(['impact', 'main:tenant/', 'none', '-e', 'prod'])).stdout).toContain(
    'user/ann may no longer',
  );
  expect((await bench.run(['impact', 'main:tenant/', 'none', '-e', 'prd'])).stderr).toContain('It has dev, prod.');
  const planned = await bench.run(['plan', 'tenant', '-e', 'prod', '--out', 'prod.plan'], { env });
  expect(planned.stdout).toMatch(/condition +"resource\.properties\.amount < 5000"/);
  expect((await bench.run(['apply', 'prod.plan', '--yes', '-e', 'prod'], { env })).stderr).toContain(
    '-e is for a folder',
  );
  await bench.json(['apply', 'tenant', '-e', 'prod', '--yes'], { env, code: 0 });
  expect((await bench.run(['plan', 'tenant', '-e', 'prod'], { env })).stdout).toContain('No changes');
  const gated = (tree['environments/prod.yaml'] ?? '')
    .replace('max_gained: 10', 'no_new_access: true')
    .replace(/ {2}for: .*\n/, '');
  const more = gated
    .replace('group/auditors] }', 'group/auditors, user/eve] }')
    .replace('  groups:', '  subjects: { user/eve: {} }\n  groups:');
  await bench.write(below('tenant', { ...tree, 'environments/prod.yaml': more }));
  const refused = await bench.run(['apply', 'tenant', '-e', 'prod', '--yes', '--json'], { env });
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout).error.detail).toBe(
    'Not applied: a gate of "prod" does not hold. no-new-access: 2 findings would give new access.',
  );
  const shown = await bench.run(['apply', 'tenant', '-e', 'prod', '--yes'], { env });
  expect(shown.stderr).toMatch(/user\/eve may now[\s\S]*Not applied: a gate of "prod"/);
  const unsaved = await bench.run(['plan', 'tenant', '-e', 'prod', '--out', 'more.plan'], { env });
  expect(unsaved).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Not saved: the gates of the environment "prod"'),
  });
  expect(existsSync(bench.path('more.plan'))).toBe(false);
  expect((await bench.run(['plan', 'tenant', '-e', 'prod', '--no-access'], { env })).stderr).toContain(
    '--no-new-access needs',
  );
  const foreign = { ...tree, 'environments/dev.yaml': `${DEV}tenant: acme-dev\n` };
  await bench.write(below('tenant', foreign));
  expect((await bench.run(['plan', 'tenant', '-e', 'dev'], { env })).stderr).toContain('acme-dev');
});

it('takes changes that were made in the tenant of an environment into the base, but not what the environment says', async () => {
  await bench.write(below('patched', tree));
  const { revision } = await bench.json<{ revision: string }>(['apply', 'patched', '-e', 'prod', '--yes'], { env });
  const policy = {
    application: 'billing',
    name: 'approve',
    effect: 'ALLOW',
    priority: 20,
    resource_type: 'billing/invoice',
    actions: ['read', 'approve'],
    condition: 'resource.properties.amount < 5000',
    modifiers: { ip_ranges: ['198.51.100.0/24'] },
  };
  const patch = async (address: string, fields: object) => {
    const changes = [{ op: 'update', address, fields }];
    const input = JSON.stringify({ base_revision: revision, stack: 'default', changes });
    return await bench.run(['patch', '-', 'patched', '-e', 'prod'], { env, input });
  };
  const named = await patch('subject/user/ann', { type: 'user', id: 'ann', name: 'Ann Lee' });
  expect(named).toMatchObject({ code: 0, stdout: 'Wrote 1 change into patched/billing.yaml.\n' });
  expect(named.stderr).toContain('The base has the change now, and so has dev.');
  expect(await readFile(bench.path('patched/billing.yaml'), 'utf8')).toContain('user/ann: { name: Ann Lee }');
  expect((await bench.run(['plan', 'patched', '-e', 'prod'], { env })).stdout).toContain('subject/user/ann');
  const overridden = await patch('policy/billing/approve', { ...policy, priority: 5 });
  expect(overridden.stderr).toMatch(/"priority" of policy\/billing\/approve at \S+prod\.yaml:\d+:\d+: change it there/);
  const folded = await patch('policy/billing/approve', { ...policy, condition: 'resource.properties.amount < 7' });
  expect(folded.stderr).toMatch(/"condition" of policy\/billing\/approve at \S+prod\.yaml:3:\d+: change it there/);
});
