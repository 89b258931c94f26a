import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { below } from './cli/tenant.js';
import { Workbench } from './cli/workbench.js';

const BASE = `version: 1
stack: access
variables: { limit: { type: number, default: 100 } }
applications:
  billing:
    resource_types: { invoice: { actions: [read], properties: { amount: number } } }
    resources: { INV-1: { type: invoice, properties: { amount: 50 } } }
    roles: { clerk: { assigned_to: [user/ann] } }
    policies:
      read:
        effect: ALLOW
        resource_type: invoice
        actions: [read]
        condition: resource.properties.amount < var.limit
        assigned_to: [role/billing/clerk]
subjects:
  user/ann: {}
`;
const BOB = '  user/bob: { roles: [billing/clerk] }\n';
const prod = (gates = '') => `name: prod\ntenant: acme-prod\nvariables: { limit: 60 }\n${gates}`;
const TREE = {
  'tenant.yaml': BASE,
  'environments/staging.yaml': 'name: staging\ntenant: acme-staging\n',
  'environments/prod.yaml': prod(),
};
const TEST = `tests:\n  - name: Ann reads\n    subject: user:ann\n    action: read\n    resource: invoice:INV-1\n    expect: allow\n`;

let bench: Workbench;
let staging: Record<string, string>;
let production: Record<string, string>;

beforeAll(async () => {
  bench = await Workbench.create();
  const cloud = await bench.startCloud();
  staging = await cloud.tenant('acme-staging');
  production = await cloud.tenant('acme-prod');
  const { SERVICE_CLIENT_ID: id, SERVICE_CLIENT_SECRET: secret, SERVICE_CLOUD_URL: url } = staging;
  await bench.write({
    '.service/config.yaml': `profiles:\n  staging: { url: "${url}", client_id: "${id}", client_secret: "${secret}" }\n`,
    '.gitignore': '.service\ncloud\nother\n',
  });
  await chmod(bench.path('.service/config.yaml'), 0o600);
  git('init', '--quiet', '--initial-branch=main');
  await commit(TREE);
  await apply('staging', staging);
  await apply('prod', production);
});
afterAll(() => bench.close());

function git(...args: string[]): string {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  return execFileSync('git', [...who, ...args], {
    cwd: bench.folder,
    env: bench.environment({}),
    encoding: 'utf8',
  }).trim();
}

async function commit(files: Record<string, string>): Promise<string> {
  await bench.write(below('tenant', files));
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'tree');
  return git('rev-parse', 'HEAD');
}

async function apply(environment: string, env: Record<string, string>): Promise<void> {
  await bench.json(['apply', 'tenant', '-e', environment, '--yes', '--prune'], { env });
}

const promote = (...flags: string[]) =>
  bench.run(['promote', 'staging', 'prod', 'tenant', ...flags], { env: production });

it('plans what staging has and prod has not, with what it does to access, and applies it', async () => {
  const name = await commit({ 'tenant.yaml': BASE + BOB });
  await apply('staging', staging);
  // What is not committed is no part of it.
  await bench.write(below('tenant', { 'tenant.yaml': 'no tree\n' }));
  const { code, stdout, stderr } = await promote('--out', 'prod.plan', '--branch', 'prod');
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(new RegExp(`"staging" has commit ${name.slice(0, 10)} since `)),
  });
  expect(stdout).toContain('+ subject/user/bob\n');
  expect(stdout).toMatch(/user\/bob may now read billing\/invoice/);
  expect(stdout).toContain('Next: servicectl apply prod.plan');
  expect(git('rev-parse', 'prod')).toBe(name);
  await bench.json(['apply', 'prod.plan', '--yes'], { env: production });
  const [newest] = (await bench.json<{ items: { source: object }[] }>(['audit'], { env: production })).items;
  expect(newest?.source).toEqual({ commit: name });
  git('checkout', '--quiet', '--', 'tenant');
  const again = await promote('--branch', 'prod');
  expect(again.stdout).toContain('No changes');
  expect(again.stdout).toContain('The branch "prod" is there already.');
  expect(git('worktree', 'list').split('\n')).toHaveLength(1);
  expect(readdirSync(tmpdir()).filter((entry) => entry.startsWith('service-promote-'))).toEqual([]);
});

it('judges the gates of the environment that gets it', async () => {
  const gates = 'gates: { max_gained: 0, require: [tests, lint, impact], soak: 24h }\n';
  await commit({
    'tenant.yaml': `${BASE}${BOB}  user/eve: { roles: [billing/clerk] }\n`,
    'environments/prod.yaml': prod(gates),
  });
  await apply('staging', staging);
  expect((await promote()).stderr).toMatch(
    /"staging" has revision \S+ since .*, and the gate "soak: 24h" demands it until /,
  );
  await commit({
    'environments/prod.yaml': prod(gates.replace(', soak: 24h', ', soak: 1s').replace('_gained: 0', '_gained: 5')),
  });
  // Nothing that staging has changes by that, so staging has the former commit still.
  await apply('staging', staging);
  expect((await promote()).stderr).toContain('soak: 24h');
  await commit({ 'tenant.yaml': `${BASE}${BOB}  user/eve: { name: Eve, roles: [billing/clerk] }\n` });
  await apply('staging', staging);
  await expect
    .poll(async () => (await promote('--out', 'eve.plan')).stderr, { timeout: 20_000 })
    .toContain('Not promoted: a gate of "prod" does not hold. tests: There is no *.test.yaml file');
  expect(existsSync(bench.path('eve.plan'))).toBe(false);
  const applied = await bench.run(['apply', 'tenant', '-e', 'prod', '--yes'], { env: production });
  expect(applied.stderr).toContain('Not applied: a gate of "prod" does not hold. tests: There is no');
  await commit({
    'access.test.yaml': TEST.replace('allow', 'deny'),
    'tenant.yaml': `${BASE}${BOB}  user/eve: { name: E, roles: [billing/clerk] }\n`,
  });
  await apply('staging', staging);
  await expect
    .poll(async () => (await promote()).stderr, { timeout: 20_000 })
    .toMatch(/tests: 1 question failed: tenant\/access\.test\.yaml:2: .* expected deny, got allow/);
  await commit({
    'access.test.yaml': TEST,
    'tenant.yaml': `${BASE}${BOB}  user/eve: { name: Eve L, roles: [billing/clerk] }\n`,
  });
  await apply('staging', staging);
  await expect.poll(async () => (await promote('--branch', 'prod')).code, { timeout: 20_000 }).toBe(0);
  expect(git('rev-parse', 'prod')).toBe(git('rev-parse', 'main'));
});

it.each<[string, () => Promise<void>, RegExp]>([
  [
    'a tenant that was changed by hand',
    async () => {
      await bench.json(['suspend', 'user:bob'], { env: staging });
      const changed = BASE.replace('amount: 50', 'amount: 40');
      await bench.write({
        'elsewhere/tenant.yaml': changed + BOB,
        'elsewhere/environments/staging.yaml': TREE['environments/staging.yaml'],
      });
      await bench.json(['apply', 'elsewhere', '-e', 'staging', '--yes', '--prune'], { env: staging });
    },
    /the newest change of "staging", revision \S+ of .*, came from files with changes that are in no commit/,
  ],
  [
    'a commit that prod has left behind',
    async () => {
      await apply('staging', staging);
      git('checkout', '--quiet', 'main');
      await commit({ 'tenant.yaml': `${BASE}${BOB}  user/kim: {}\n`, 'environments/prod.yaml': prod() });
      await bench.json(['apply', 'tenant', '-e', 'prod', '--yes', '--prune'], { env: production });
    },
    /"prod" has [0-9a-f]{40} already, which contains [0-9a-f]{40}: to go back, revert in Git/,
  ],
  [
    'a commit beside that of prod',
    async () => {
      git('checkout', '--quiet', '-b', 'other', 'main~1');
      await commit({ 'tenant.yaml': `${BASE}${BOB}  user/lee: {}\n` });
      await apply('staging', staging);
    },
    /"prod" has commit [0-9a-f]{40}, which [0-9a-f]{40} does not contain, and would lose it: merge it first/,
  ],
  [
    'a tenant from which somebody has taken something',
    async () => {
      git('checkout', '--quiet', 'main');
      await commit({ 'tenant.yaml': `${BASE}${BOB}  user/kim: { name: K }\n` });
      await apply('staging', staging);
      const [url = '', clientId = '', clientSecret = ''] = ['CLOUD_URL', 'CLIENT_ID', 'CLIENT_SECRET'].map(
        (name) => staging[`SERVICE_${name}`],
      );
      const client = new ServiceClient({ url, credentials: { clientId, clientSecret } });
      await client.records('subject').delete('user/kim');
    },
    /"staging" is not as commit [0-9a-f]{40} says: subject\/user\/kim differ/,
  ],
  [
    'a commit that Git does not know here',
    async () => {
      await bench.write(below('other', { ...TREE, 'tenant.yaml': BASE }));
      const run = (...args: string[]) =>
        execFileSync('git', args, { cwd: bench.path('other'), env: bench.environment({}) });
      run('init', '--quiet');
      run('add', '--all');
      run('-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '--quiet', '--message', 'other');
      await bench.json(['apply', 'other', '-e', 'staging', '--yes', '--prune'], { env: staging });
    },
    /"staging" has commit [0-9a-f]{40}, and Git does not know it here: use a checkout of that repository/,
  ],
])('refuses %s', async (_, prepare, expected) => {
  await prepare();
  expect((await promote()).stderr).toMatch(expected);
});

it('refuses one tenant twice, and one environment twice', async () => {
  const same = await bench.run(['promote', 'staging', 'prod', 'tenant', '--profile', 'staging']);
  expect(same.stderr).toContain('Both credentials are of the tenant "acme-staging"');
  expect((await bench.run(['promote', 'prod', 'prod', 'tenant'])).stderr).toContain('FROM and TO are both "prod"');
});

it('waits for agents that have not got so far', async () => {
  const { secret } = await bench.json<{ secret: string }>(['keys', 'create', 'agents', '--scope', 'bundle'], {
    env: staging,
  });
  const headers = { authorization: `Bearer ${secret}`, 'service-agent': 'id=a1&revision=1.00' };
  await fetch(`${staging.SERVICE_CLOUD_URL}/v1/policies/bundle`, { headers });
  git('checkout', '--quiet', 'main');
  await commit({ 'tenant.yaml': `${BASE}${BOB}  user/kim: { name: Kim }\n` });
  await apply('staging', staging);
  expect((await promote()).stderr).toMatch(/is not known to be enforced by every agent: /);
});
