import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import knex, { type Knex } from 'knex';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Browser, commitFrom } from '../../testing/browser.js';
import { TestCloud } from '../../testing/test-cloud.js';
import type { PersonHolder } from '../console/holder.js';

const ISSUER = 'http://127.0.0.1:9';
const OTHER_ISSUER = 'http://127.0.0.1:10';

const POLICIES = ['view', 'edit'].flatMap((action) => [
  {
    op: 'create',
    kind: 'policy',
    fields: {
      application: 'service-console',
      name: action,
      effect: 'ALLOW',
      resource_type: 'service-console/console',
      actions: [action],
    },
  },
  {
    op: 'create',
    kind: 'policy_assignment',
    fields: { policy: `service-console/${action}`, entity_type: 'role', entity: 'service-console/editor' },
  },
]);
/** Alice may edit, and so may who is in the group `editors`. */
const CONSOLE = [
  { op: 'create', kind: 'application', fields: { name: 'service-console' } },
  {
    op: 'create',
    kind: 'resource_type',
    fields: { application: 'service-console', name: 'console', actions: ['view', 'edit'] },
  },
  { op: 'create', kind: 'resource', fields: { type: 'service-console/console', name: 'console' } },
  { op: 'create', kind: 'role', fields: { application: 'service-console', name: 'editor' } },
  ...POLICIES,
  { op: 'create', kind: 'group', fields: { name: 'editors' } },
  { op: 'create', kind: 'subject', fields: { type: 'user', id: 'alice', name: 'Alice' } },
  ...[
    { entity_type: 'subject', entity: 'user/alice' },
    { entity_type: 'group', entity: 'editors' },
  ].map((entity) => ({
    op: 'create',
    kind: 'role_assignment',
    fields: { role: 'service-console/editor', ...entity },
  })),
];
const ALL = ['decisions', 'records:read', 'records:write'];
const LIMITS = { stacks: ['team'] };

let cloud: TestCloud;
let env: Record<string, string>;
let admin: string;

beforeEach(async () => {
  env = {
    SERVICE_OIDC_ISSUER: ISSUER,
    SERVICE_OIDC_CLIENT_ID: 'console',
    SERVICE_OIDC_CLIENT_SECRET: 'the secret of the console',
    SERVICE_OIDC_GROUPS: 'staff=editors',
  };
  cloud = await TestCloud.start({}, env);
  admin = await cloud.token();
  await cloud.commit(admin, CONSOLE);
});
afterEach(() => cloud.close());

async function database<T>(work: (database: Knex) => PromiseLike<T>): Promise<T> {
  const opened = knex.knex({
    client: 'sqlite3',
    connection: { filename: join(cloud.dir, 'cloud.sqlite') },
    useNullAsDefault: true,
  });
  try {
    return await work(opened);
  } finally {
    await opened.destroy();
  }
}

/** A session as the sign-in of somebody at the provider leaves it in the database. */
async function signedIn(sub: string, providerGroups: string[] = []): Promise<Browser> {
  const holder: PersonHolder = {
    kind: 'person',
    id: `${ISSUER}#${sub}`,
    name: sub,
    issuer: ISSUER,
    subject: { type: 'user', id: sub },
    providerGroups,
  };
  const token = randomBytes(32).toString('base64url');
  const at = new Date();
  const tenant = (await cloud.ask('GET', '/v1/whoami', { as: admin })).body.tenant.id;
  await database((own) =>
    own('console_sessions').insert({
      hash: createHash('sha256').update(token).digest('base64url'),
      tenant_id: tenant,
      id: randomUUID(),
      holder: JSON.stringify(holder),
      created_at: at.toISOString(),
      seen_at: at.toISOString(),
      expires_at: new Date(at.getTime() + 3_600_000).toISOString(),
    }),
  );
  const browser = new Browser(cloud);
  browser.cookie = `service_session=${token}`;
  return browser;
}

const session = (browser: Browser) => browser.ask('GET', '/console/api/session');
const naming = (name: string, subject: string, more: object = {}) => ({
  op: 'create',
  kind: 'oauth_client',
  fields: { name, scopes: ['credentials'], person: { issuer: ISSUER, subject }, ...more },
});
const send = (changes: object[]) => cloud.ask('POST', '/v1/changesets', { as: admin, body: { changes } });

describe('the client that names a person', () => {
  it('is the only one of its tenant', async () => {
    await cloud.commit(admin, [naming('of-alice', 'alice', { limits: LIMITS })]);
    const refused = { status: 409, body: { code: 'conflict', detail: expect.stringContaining('names already') } };
    expect(await send([naming('twin', 'alice')])).toMatchObject(refused);
    expect(await send([naming('one', 'bob'), naming('two', 'bob')])).toMatchObject(refused);
    await cloud.commit(admin, [naming('of-bob', 'bob')]);
    const { fields } = naming('of-bob', 'alice');
    expect(await send([{ op: 'update', address: 'oauth_client/of-bob', fields }])).toMatchObject(refused);
    // The person may pass from one client to another at once.
    await cloud.commit(admin, [{ op: 'delete', address: 'oauth_client/of-alice' }, naming('new', 'alice')]);
  });

  it('is not changed nor removed by the person, whose limits it has', async () => {
    await cloud.commit(admin, [naming('of-alice', 'alice', { scopes: ['credentials'] })]);
    const alice = await signedIn('alice');
    expect((await session(alice)).body.scopes).toEqual(['decisions', 'records:read', 'records:write', 'credentials']);
    const path = '/console/api/v1/oauth-clients/of-alice';
    const refused = { status: 403, body: { code: 'forbidden', detail: expect.stringContaining('neither they') } };
    expect(await alice.ask('DELETE', path)).toMatchObject(refused);
    for (const body of [{ person: null }, { limits: LIMITS }, { name: 'other' }])
      expect(await alice.ask('PATCH', path, { body })).toMatchObject(refused);
    expect((await session(alice)).body.scopes).toContain('credentials');
  });

  it('is not removed by a limited key that the person made', async () => {
    const limits = { stacks: ['console', 'team'] };
    await cloud.ask('POST', '/v1/changesets', {
      as: admin,
      body: { stack: 'team', changes: [naming('of-alice', 'alice', { limits })] },
    });
    const alice = await signedIn('alice');
    const key = { name: 'k', scopes: ['credentials'], limits };
    const make = { stack: 'console', changes: [{ op: 'create', kind: 'api_key', fields: key }] };
    const { status, body } = await alice.ask('POST', '/console/api/v1/changesets', { body: make });
    expect(status).toBe(200);
    const remove = { stack: 'team', changes: [{ op: 'delete', address: 'oauth_client/of-alice' }] };
    const refused = await cloud.ask('POST', '/v1/changesets', { as: body.secrets[0].secret, body: remove });
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect((await session(alice)).body.limits).toEqual(limits);
  });

  it('gives no program access, neither by its secret nor by an older access token', async () => {
    const { status, body } = await cloud.ask('POST', '/v1/oauth-clients', {
      as: admin,
      body: { name: 'c', scopes: ['credentials'] },
    });
    expect(status).toBe(201);
    const client = { id: body.client_id, secret: body.client_secret };
    const token = await cloud.token(client);
    expect((await cloud.ask('GET', '/v1/api-keys', { as: token })).status).toBe(200);
    const path = '/v1/oauth-clients/c';
    const person = { issuer: ISSUER, subject: 'alice' };
    expect((await cloud.ask('PATCH', path, { as: admin, body: { person } })).status).toBe(200);
    await expect(cloud.token(client)).rejects.toThrow('401 {"error":"invalid_client"');
    expect((await cloud.ask('GET', '/v1/api-keys', { as: token })).status).toBe(401);
  });

  it('has no secret, until it names nobody any more and is given one', async () => {
    const { fields } = naming('c', 'alice');
    const made = await cloud.ask('POST', '/v1/oauth-clients', { as: admin, body: fields });
    expect(made).toMatchObject({ status: 201, body: { id: expect.any(String) } });
    expect([made.body.client_secret, (await cloud.commit(admin, [naming('d', 'bob')])).secrets]).toEqual([
      undefined,
      [],
    ]);
    const secret = 'chosen for nothing, since nobody can use it';
    const refused = { status: 422, body: { errors: [{ pointer: '/changes/0/secret' }] } };
    const address = 'oauth_client/c';
    expect(await send([{ ...naming('e', 'carol'), secret }])).toMatchObject(refused);
    expect(await send([{ op: 'update', address, fields, secret }])).toMatchObject(refused);

    const { person: _, ...freed } = fields;
    await cloud.commit(admin, [{ op: 'update', address, fields: freed, secret }]);
    expect(await cloud.token({ id: made.body.id, secret })).toEqual(expect.any(String));
  });

  it('makes an operator of them, who makes and removes tenants while it stands', async () => {
    const second = { id: 'second', secret: 'another correct horse battery staple' };
    env.SERVICE_BOOTSTRAP_CLIENT_ID = second.id;
    env.SERVICE_BOOTSTRAP_CLIENT_SECRET = second.secret;
    env.SERVICE_BOOTSTRAP_RECOVER = 'true';
    await cloud.restart();
    admin = await cloud.token(second);
    const named = { person: { issuer: ISSUER, subject: 'alice' } };
    expect((await cloud.ask('PATCH', '/v1/oauth-clients/administrator', { as: admin, body: named })).status).toBe(200);
    const alice = await signedIn('alice');
    expect((await session(alice)).body.scopes).toContain('operator');
    const made = await alice.ask('POST', '/console/api/v1/tenants', { body: { name: 'made' } });
    expect(made).toMatchObject({ status: 201, body: { name: 'made' } });
    expect((await alice.ask('DELETE', '/console/api/v1/tenants/made')).status).toBe(204);
    const events = (await cloud.ask('GET', '/v1/audit/tenants', { as: admin })).body.items;
    expect(events[0].credential).toMatchObject({ kind: 'person', id: `${ISSUER}#alice` });
    const none = { as: admin, body: { person: null } };
    expect((await cloud.ask('PATCH', '/v1/oauth-clients/administrator', none)).status).toBe(200);
    expect((await alice.ask('POST', '/console/api/v1/tenants', { body: { name: 'again' } })).status).toBe(403);
  });

  it('is not the last administrator, which an identity provider could lock out', async () => {
    await cloud.commit(admin, [naming('of-alice', 'alice')]);
    const [first] = (await cloud.ask('GET', '/v1/oauth-clients', { as: admin })).body.items.filter(
      ({ name }: { name: string }) => name !== 'of-alice',
    );
    const body = { person: { issuer: ISSUER, subject: 'bob' } };
    const given = await cloud.ask('PATCH', `/v1/oauth-clients/${first.name}`, { as: admin, body });
    expect(given).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('lets the person see and end the sessions of others only without limits', async () => {
    await cloud.commit(admin, [naming('limited', 'bob', { limits: LIMITS }), naming('unlimited', 'carol')]);
    const [alice, bob, carol] = [await signedIn('alice'), await signedIn('bob'), await signedIn('carol')];
    const list = async (browser: Browser) => (await browser.ask('GET', '/console/api/sessions')).body.items.length;
    expect([await list(alice), await list(bob), await list(carol)]).toEqual([1, 1, 3]);
    const path = `/console/api/sessions/${(await session(alice)).body.id}`;
    expect((await bob.ask('DELETE', path)).status).toBe(404);
    expect((await session(alice)).status).toBe(200);
    expect((await carol.ask('DELETE', path)).status).toBe(204);
    expect((await session(alice)).status).toBe(401);
  });
});

describe("a person's session", () => {
  it('commits as issuer and subject, and is not found by the name that the provider gives', async () => {
    const alice = await signedIn('alice');
    expect((await commitFrom(alice, [{ op: 'create', kind: 'role', fields: { name: 'made' } }])).status).toBe(200);
    const by = async (actor: string) =>
      (await cloud.ask('GET', `/v1/audit?actor=${encodeURIComponent(actor)}`, { as: admin })).body.items;
    expect(await by('alice')).toEqual([]);
    expect(await by(`${ISSUER}#alice`)).toMatchObject([{ credential: { kind: 'person', name: 'alice' } }]);
  });

  it('counts the groups of the provider by the present settings', async () => {
    const bob = await signedIn('bob', ['staff', 'others']);
    expect((await session(bob)).body.scopes).toEqual(ALL);
    env.SERVICE_OIDC_GROUPS = 'others=nobody';
    await cloud.restart();
    expect((await session(bob)).body.scopes).toEqual([]);
  });

  it.each([
    ['another provider', { SERVICE_OIDC_ISSUER: OTHER_ISSUER }],
    ['no provider', undefined],
  ])('is refused where the settings name %s', async (_, changed) => {
    const alice = await signedIn('alice');
    expect((await session(alice)).status).toBe(200);
    if (changed) Object.assign(env, changed);
    else for (const name of Object.keys(env)) delete env[name];
    await cloud.restart();
    expect((await session(alice)).status).toBe(401);
  });
});
