import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { billingTree, PLATFORM, SHIPPING } from './cli/two-teams.js';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
type Variables = Record<string, string>;
let admin: Variables;
let billing: Variables;

beforeAll(async () => {
  bench = await Workbench.create();
  const cloud = await bench.startCloud();
  admin = await cloud.tenant();
  await bench.write({ ...PLATFORM, ...SHIPPING, ...billingTree() });
  await bench.json(['apply', 'platform', '--yes', '--credentials-out', 'clients.json'], { env: admin });
  const { credentials } = JSON.parse(await readFile(bench.path('clients.json'), 'utf8')) as {
    credentials: { address: string; client_id: string; client_secret: string }[];
  };
  const team = (name: string) => {
    const made = credentials.find(({ address }) => address === `oauth_client/${name}`);
    return {
      ...admin,
      SERVICE_CLIENT_ID: made?.client_id ?? '',
      SERVICE_CLIENT_SECRET: made?.client_secret ?? '',
    };
  };
  billing = team('billing');
  await bench.json(['apply', 'shipping', '--yes'], { env: team('shipping') });
  await bench.json(['apply', 'billing', '--yes'], { env: billing });
});
afterAll(() => bench.close());

describe("a team's repository", () => {
  it('is applied with a limited client, whose limits whoami tells', async () => {
    const { stdout } = await bench.run(['whoami'], { env: billing });
    expect(stdout.split('\n').slice(3)).toEqual([
      'scopes      records:read, records:write, credentials',
      'limits      writes for the stacks billing',
      'limits      writes in the applications billing',
      'limits      writes policies of priorities up to 100',
      '',
    ]);
    expect((await bench.run(['whoami'], { env: admin })).stdout).toContain('limits      none');
    expect(await bench.json(['plan', 'billing', '--detailed-exitcode'], { env: billing })).toMatchObject({
      changes: [],
    });
  });

  it.each([
    [
      "covers another team's type",
      '      steal: { effect: ALLOW, resource_type: shipping/parcel, actions: [track], assigned_to: [role/billing/clerk] }',
      ['resource_type/shipping/parcel'],
      /"policy\/billing\/steal" uses "resource_type\/shipping\/parcel", which lies in the application "shipping".*\n.*billing\/billing\.yaml:9:/s,
    ],
    [
      "gives itself another team's role",
      'role_assignments: [{ role: shipping/packer, to: user/mallory }]',
      ['role/shipping/packer', 'user/mallory'],
      /uses "role\/shipping\/packer"/,
    ],
    [
      "assigns itself another team's policy",
      'policy_assignments: [{ policy: shipping/pack, to: role/billing/clerk }]',
      ['policy/shipping/pack'],
      /uses "policy\/shipping\/pack"/,
    ],
    ['declares a role of the tenant', 'roles: { root: {} }', [], /"role\/root" belongs to the tenant/],
    ['declares a subject', 'subjects: { user/new: {} }', [], /"subject\/user\/new" belongs to the tenant/],
    [
      'writes above its priority',
      '      high: { effect: ALLOW, priority: 101, resource_type: invoice, actions: [read] }',
      [],
      /priorities up to 100/,
    ],
    [
      'makes itself a client without limits',
      'oauth_clients: { free: { scopes: ["records:write"] } }',
      [],
      /"oauth_client\/free" has no limits/,
    ],
  ])('that %s is refused in the plan, at the place', async (_, more, external, expected) => {
    await bench.write(billingTree(more, external));
    for (const command of [
      ['plan', 'billing'],
      ['apply', 'billing', '--yes', '--credentials-out', 'more.json'],
    ]) {
      const { code, stdout, stderr } = await bench.run(command, { env: billing });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(expected);
      expect(stderr).toContain('hint: Run "service whoami" to see the limits of this credential.');
      expect(stderr).toMatch(/billing\/billing\.yaml:\d+:\d+/);
    }
  });

  it('that covers a shared type, and fills a shared group, is applied and withdrawn', async () => {
    const more = `      print: { effect: ALLOW, resource_type: shipping/label, actions: [print], assigned_to: [role/billing/clerk] }
group_memberships: [{ group: on-call, member: user/alice }]`;
    await bench.write(billingTree(more, ['resource_type/shipping/label', 'group/on-call']));
    expect(await bench.json(['apply', 'billing', '--yes'], { env: billing })).toMatchObject({ added: 3 });
    await bench.write(billingTree());
    expect(await bench.json(['apply', 'billing', '--yes', '--prune'], { env: billing })).toMatchObject({ removed: 3 });
  });
});

describe('single credentials', () => {
  it('are made within the limits, for a stack that is named', async () => {
    const create = ['clients', 'create', 'sub', '--scope', 'records:write', '--limit-stack', 'billing'];
    const more = ['--limit-application', 'billing', '--limit-priority', '7'];
    const unnamed = await bench.run([...create, ...more], { env: billing });
    expect(unnamed.stderr).toContain('has to name the stack');
    const wider = await bench.run([...create, '--stack', 'billing'], { env: billing });
    expect(wider.stderr).toContain('"oauth_client/sub" is limited to the stack "billing", which is not within those');
    await bench.json([...create, ...more, '--stack', 'billing'], { env: billing });
    expect(await bench.json(['get', 'oauth_client/sub'], { env: admin })).toMatchObject({
      managed_by: 'billing',
      limits: { stacks: ['billing'], applications: ['billing'], priority_max: 7 },
    });
    await bench.json(['clients', 'delete', 'sub', '--yes', '--stack', 'billing'], { env: billing });
  });
});
