import { readFile } from 'node:fs/promises';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { billingTree, PLATFORM, SHIPPING } from './cli/two-teams.js';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
type Variables = Record<string, string>;
let admin: Variables;
let billing: Variables;
let client: ServiceClient;

beforeAll(async () => {
  bench = await Workbench.create();
  const cloud = await bench.startCloud();
  admin = await cloud.tenant();
  client = new ServiceClient({
    url: cloud.url,
    credentials: { clientId: admin.SERVICE_CLIENT_ID ?? '', clientSecret: admin.SERVICE_CLIENT_SECRET ?? '' },
  });
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
      expect(stderr).toContain('hint: Run "servicectl whoami" to see the limits of this credential.');
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

describe('a link that somebody else hung onto the role of a team', () => {
  const LINK = 'role_assignment/billing/clerk//subject/user/mallory';
  const plan = (...flags: string[]) =>
    bench.run(['plan', 'billing', '--detailed-exitcode', ...flags], { env: billing });
  const hang = () =>
    client.records('role_assignment').create({ role: 'billing/clerk', entity_type: 'subject', entity: 'user/mallory' });

  it('is shown with its owner, counts under --exclusive, and is removed with consent by the limited client', async () => {
    await bench.write(billingTree());
    await hang();
    const shown = await plan();
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain(`
Other stacks grant what is this stack's (left alone; --exclusive removes it):
  ! ${LINK}, which belongs to "api"
`);
    const exclusive = await plan('--exclusive', '--out', 'billing.plan');
    expect(exclusive.code).toBe(2);
    expect(exclusive.stdout).toContain(`  - ${LINK}, which belongs to "api"\n`);

    const without = await bench.run(['apply', 'billing', '--exclusive', '--yes'], { env: billing });
    expect(without.stderr).toMatch(/The plan removes .*mallory.*--prune/);
    const saved = await bench.run(['apply', 'billing.plan', '--yes', '--prune'], { env: billing });
    expect(saved.stderr).toMatch(/The plan removes from other stacks .*mallory.*--exclusive/);
    const applied = await bench.json(['apply', 'billing.plan', '--yes', '--prune', '--exclusive'], { env: billing });
    expect(applied).toMatchObject({ removed: 1 });
    expect((await plan('--exclusive')).code).toBe(0);
  });

  it('cannot be changed by the limited client, nor removed without --exclusive', async () => {
    await hang();
    const as = new ServiceClient({
      url: billing.SERVICE_CLOUD_URL ?? '',
      credentials: { clientId: billing.SERVICE_CLIENT_ID ?? '', clientSecret: billing.SERVICE_CLIENT_SECRET ?? '' },
    });
    const fields = {
      role: 'billing/clerk',
      entity_type: 'subject',
      entity: 'user/mallory',
      expires_at: '2030-01-01T00:00:00Z',
    };
    for (const [change, code] of [
      [{ op: 'update', address: LINK, fields }, 'not_owner'],
      [{ op: 'adopt', address: LINK }, 'not_owner'],
      [{ op: 'delete', address: LINK }, 'not_owner'],
      [{ op: 'delete', address: 'role_assignment/shipping/packer//subject/user/alice' }, 'not_owner'],
    ] as const) {
      const exclusive = change.op !== 'delete' || change.address !== LINK;
      const refused = await as.changeset({ stack: 'billing', exclusive, changes: [change] }).catch((error) => error);
      expect([change.op, refused.code]).toEqual([change.op, code]);
      const taking = { stack: 'billing', take_ownership: true, changes: [change] };
      expect((await as.changeset(taking).catch((error) => error)).code).toBe('outside_limits');
    }
    await as.changeset({ stack: 'billing', exclusive: true, changes: [{ op: 'delete', address: LINK }] });
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
