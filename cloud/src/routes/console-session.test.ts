import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Browser, commitFrom, linkOf } from '../../testing/browser.js';
import { ADMIN, ALICE_READS, billing, TestCloud } from '../../testing/test-cloud.js';

const BEGIN = Date.parse('2026-06-01T08:00:00Z');
const MINUTE = 60_000;

let cloud: TestCloud;
let admin: string;
/** Milliseconds since the epoch, as the cloud sees them. */
let now: number;

const start = async () => {
  now = BEGIN;
  cloud = await TestCloud.start({ now: () => now });
  admin = await cloud.token();
  await cloud.commit(admin, billing());
};

const session = (browser: Browser) => browser.ask('GET', '/console/api/session');
const create = (browser: Browser, name: string) =>
  commitFrom(browser, [{ op: 'create', kind: 'role', fields: { name } }]);

describe('a one-time link', () => {
  beforeEach(start);
  afterEach(() => cloud.close());

  it('signs the holder of the credential in, with a cookie that scripts and other sites cannot use', async () => {
    const browser = new Browser(cloud);
    const { status, body, headers } = await browser.redeem(await linkOf(cloud, admin));
    expect(status).toBe(200);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^service_session=[\w-]{43}; Path=\/console; HttpOnly; Secure; SameSite=Lax$/),
    ]);
    expect(body).toEqual({
      id: expect.any(String),
      person: { kind: 'oauth_client', id: ADMIN.id, name: 'administrator' },
      tenant: { id: expect.any(String), name: 'default' },
      sign_in: 'link',
      created_at: '2026-06-01T08:00:00.000Z',
      idle_at: '2026-06-01T08:30:00.000Z',
      expires_at: '2026-06-01T09:00:00.000Z',
      scopes: ['decisions', 'bundle', 'records:read', 'records:write', 'credentials', 'access-rules', 'operator'],
    });
    expect((await session(browser)).body).toEqual(body);
  });

  it('holds once and for 60 seconds', async () => {
    const link = await linkOf(cloud, admin);
    expect((await new Browser(cloud).redeem(link)).status).toBe(200);
    expect(await new Browser(cloud).redeem(link)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    const late = await linkOf(cloud, admin);
    now += MINUTE;
    expect((await new Browser(cloud).redeem(late)).status).toBe(401);
    const other = await linkOf(cloud, admin);
    await cloud.restart();
    expect((await new Browser(cloud).redeem(other)).status).toBe(200);
  });

  it('is one of at most a hundred that wait', async () => {
    for (let count = 0; count < 100; count += 1) await linkOf(cloud, admin);
    const refused = await cloud.ask('POST', '/v1/console-links', { as: admin });
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests' } });
    now += MINUTE;
    await linkOf(cloud, admin);
  });

  it('is not redeemed by opening it, nor by a page of another site', async () => {
    const link = await linkOf(cloud, admin);
    const browser = new Browser(cloud);
    await browser.ask('GET', `/console/sign-in?${link}`);
    const crossSite = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect((await browser.redeem(link, crossSite)).status).toBe(400);
    expect((await browser.redeem(link, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await browser.redeem(link)).status).toBe(200);
  });

  it('gives at most what the credential may do, and its access token', async () => {
    const reader = await cloud.token(ADMIN, 'records:read');
    const browser = await Browser.signIn(cloud, reader);
    expect((await session(browser)).body.scopes).toEqual(['records:read']);
    expect((await create(browser, 'made')).status).toBe(403);
    const limited = await cloud.key(admin, ['records:write'], { limits: { stacks: ['team'] } });
    const other = await Browser.signIn(cloud, limited);
    expect((await session(other)).body).toMatchObject({ limits: { stacks: ['team'] } });
    expect((await create(other, 'made')).body.code).toBe('outside_limits');
  });

  it('ends with its credential, and when the credential gets another secret', async () => {
    const key = await cloud.key(admin, ['records:write']);
    const browser = await Browser.signIn(cloud, key);
    const [{ id }] = (await cloud.ask('GET', '/v1/api-keys', { as: admin })).body.items;
    await cloud.ask('PATCH', `/v1/api-keys/${id}`, { as: admin, body: { scopes: ['records:read'] } });
    expect((await session(browser)).body.scopes).toEqual(['records:read']);
    expect((await create(browser, 'made')).status).toBe(403);
    await cloud.ask('DELETE', `/v1/api-keys/${id}`, { as: admin });
    expect((await session(browser)).status).toBe(401);
  });

  it.each([
    { links: 'off', status: 409 },
    { links: 'loopback', status: 201 },
  ])('is made or refused as SERVICE_CONSOLE_LINKS=$links says', async ({ links, status }) => {
    const other = await TestCloud.start({}, { SERVICE_CONSOLE_LINKS: links, SERVICE_PUBLIC_URL: 'https://a.example' });
    const { body, ...answer } = await other.ask('POST', '/v1/console-links', { as: await other.token() });
    expect(answer.status).toBe(status);
    if (status === 201) expect(body.url.startsWith(`${other.url}/console/sign-in#`)).toBe(true);
    const ways = await new Browser(other).ask('GET', '/console/api/sign-in');
    expect(ways.body).toEqual({ link: links !== 'off', oidc: false });
    await other.close();
  });

  it('is redeemed on the machine of the cloud alone, unless the settings say otherwise', async () => {
    const asPublic = { host: 'a.example', origin: 'https://a.example' };
    const env = { SERVICE_PUBLIC_URL: 'https://a.example', SERVICE_TRUSTED_PROXIES: '127.0.0.1' };
    const local = await TestCloud.start({}, env);
    const link = await linkOf(local, await local.token());
    expect(await new Browser(local).redeem(link, asPublic)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect((await new Browser(local).redeem(link, { 'x-forwarded-for': '198.51.100.1' })).status).toBe(403);
    expect((await new Browser(local).redeem(link)).status).toBe(200);
    await local.close();
    const anywhere = await TestCloud.start({}, { ...env, SERVICE_CONSOLE_LINKS: 'anywhere' });
    const { body } = await anywhere.ask('POST', '/v1/console-links', { as: await anywhere.token() });
    expect(body.url.startsWith('https://a.example/console/sign-in#')).toBe(true);
    const token = new URL(body.url).hash.slice(1);
    expect((await new Browser(anywhere).redeem(token, asPublic)).status).toBe(200);
    await anywhere.close();
  });
});

describe('a session', () => {
  beforeEach(start);
  afterEach(() => cloud.close());

  it('does what its holder may do over the same routes, audited as the holder', async () => {
    const browser = await Browser.signIn(cloud, admin);
    expect((await create(browser, 'made')).status).toBe(200);
    expect((await browser.ask('GET', '/console/api/v1/roles?name=made')).body.items).toHaveLength(1);
    const decided = await browser.ask('POST', '/console/api/access/v1/evaluation', { body: ALICE_READS });
    expect(decided).toMatchObject({ status: 200, body: { decision: true } });
    const [entry] = (await browser.ask('GET', '/console/api/v1/audit')).body.items;
    expect(entry.credential).toEqual({ kind: 'oauth_client', id: ADMIN.id, name: 'administrator' });
    const made = await browser.ask('POST', '/console/api/v1/api-keys', { body: { name: 'k', scopes: ['decisions'] } });
    expect((await cloud.ask('GET', '/v1/whoami', { as: made.body.secret })).status).toBe(200);
  });

  it('is not offered what is for programs', async () => {
    const browser = await Browser.signIn(cloud, admin);
    expect((await browser.ask('POST', '/console/api/v1/console-links')).status).toBe(404);
    expect((await browser.ask('GET', '/console/api/v1/policies/bundle')).status).toBe(404);
  });

  it('means nothing outside the console, and a bearer credential nothing inside', async () => {
    const browser = await Browser.signIn(cloud, admin);
    expect((await browser.ask('GET', '/v1/whoami')).status).toBe(401);
    const bearer = { authorization: `Bearer ${admin}` };
    expect((await new Browser(cloud).ask('GET', '/console/api/v1/whoami', { headers: bearer })).status).toBe(401);
  });

  it('ends after 30 minutes without a request', async () => {
    const browser = await Browser.signIn(cloud, admin);
    now += 29 * MINUTE;
    expect((await session(browser)).body.idle_at).toBe('2026-06-01T08:59:00.000Z');
    now += 29 * MINUTE;
    expect((await session(browser)).status).toBe(200);
    now += 30 * MINUTE;
    expect((await session(browser)).status).toBe(401);
  });

  it('ends after 12 hours, however busy', async () => {
    const browser = await Browser.signIn(cloud, await cloud.key(admin, ['records:read']));
    for (; now < BEGIN + 12 * 60 * MINUTE; now += 20 * MINUTE) expect((await session(browser)).status).toBe(200);
    expect((await session(browser)).status).toBe(401);
  });

  it('ends no later than the access token or the key that its link was made with', async () => {
    const [browser, late] = [await Browser.signIn(cloud, admin), await linkOf(cloud, admin)];
    const expiring = await cloud.key(admin, ['records:read'], { expires_at: '2026-06-01T10:00:00Z' });
    expect((await session(await Browser.signIn(cloud, expiring))).body.expires_at).toBe('2026-06-01T10:00:00.000Z');
    for (; now < BEGIN + 60 * MINUTE; now += 20 * MINUTE) expect((await session(browser)).status).toBe(200);
    expect((await session(browser)).status).toBe(401);
    expect((await new Browser(cloud).redeem(late)).status).toBe(401);
  });

  it('ends when its browser signs in anew', async () => {
    const browser = await Browser.signIn(cloud, admin);
    const { cookie } = browser;
    await browser.redeem(await linkOf(cloud, admin));
    expect((await session(browser)).status).toBe(200);
    browser.cookie = cookie;
    expect((await session(browser)).status).toBe(401);
  });

  it("is nobody's where a browser sends two cookies", async () => {
    const [one, other] = [await Browser.signIn(cloud, admin), await Browser.signIn(cloud, admin)];
    const mine = one.cookie;
    one.cookie = `${mine}; ${other.cookie}`;
    expect((await session(one)).status).toBe(401);
    one.cookie = `${mine}; ${mine}`;
    expect((await session(one)).status).toBe(200);
  });

  it('outlives a restart of the cloud', async () => {
    const browser = await Browser.signIn(cloud, admin);
    await cloud.restart();
    expect((await session(browser)).status).toBe(200);
  });

  it('ends when its holder signs out', async () => {
    const browser = await Browser.signIn(cloud, admin);
    const { cookie } = browser;
    expect(await browser.ask('DELETE', '/console/api/session')).toMatchObject({ status: 204 });
    expect(browser.cookie).toBeUndefined();
    browser.cookie = cookie;
    expect((await session(browser)).status).toBe(401);
  });

  it('is listed and ended by its holder, and by whoever has the scope "credentials"', async () => {
    const key = await cloud.key(admin, ['records:read']);
    const [mine, same, other] = [
      await Browser.signIn(cloud, key),
      await Browser.signIn(cloud, key),
      await Browser.signIn(cloud, admin),
    ];
    const list = async (browser: Browser) => (await browser.ask('GET', '/console/api/sessions')).body.items;
    const [own, theirs] = [(await session(same)).body.id, (await session(other)).body.id];
    expect((await list(mine)).map(({ id }: { id: string }) => id)).toHaveLength(2);
    expect(await list(other)).toHaveLength(3);
    expect((await mine.ask('DELETE', `/console/api/sessions/${theirs}`)).status).toBe(404);
    expect((await mine.ask('DELETE', `/console/api/sessions/${own}`)).status).toBe(204);
    expect((await session(same)).status).toBe(401);
    expect((await other.ask('DELETE', `/console/api/sessions/${(await session(mine)).body.id}`)).status).toBe(204);
    expect((await session(mine)).status).toBe(401);
  });

  it('is one of at most twenty of its holder: those that were idle longest end', async () => {
    const oldest = await Browser.signIn(cloud, admin);
    now += 2 * MINUTE;
    const used = await Browser.signIn(cloud, admin);
    for (let count = 0; count < 18; count += 1) await Browser.signIn(cloud, admin);
    now += 2 * MINUTE;
    expect((await session(oldest)).status).toBe(200);
    await Browser.signIn(cloud, admin);
    expect((await session(oldest)).status).toBe(200);
    const { body } = await oldest.ask('GET', '/console/api/sessions');
    expect(body.items.length).toBe(20);
    // Another holder's are not counted.
    await Browser.signIn(cloud, await cloud.key(admin, ['records:read']));
    expect((await oldest.ask('GET', '/console/api/sessions')).body.items.length).toBe(21);
    expect([200, 401]).toContain((await session(used)).status);
  });

  it('stays in its tenant', async () => {
    const browser = await Browser.signIn(cloud, await cloud.tenant('acme'));
    expect((await session(browser)).body.tenant.name).toBe('acme');
    expect((await browser.ask('GET', '/console/api/v1/roles')).body.items).toEqual([]);
    const own = await Browser.signIn(cloud, admin);
    const { id } = (await session(browser)).body;
    expect((await own.ask('DELETE', `/console/api/sessions/${id}`)).status).toBe(404);
    await cloud.ask('DELETE', '/v1/tenants/acme', { as: admin });
    expect((await session(browser)).status).toBe(401);
  });
});

describe('the edge of the console', () => {
  /** Sends the target as it is. */
  const statusOf = (target: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { port } = new URL(cloud.url);
      const asked = request({ host: '127.0.0.1', port, path: target, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
      asked.on('error', reject).end();
    });

  beforeAll(start);
  afterAll(() => cloud.close());

  const EVIL = 'https://evil.example';
  it.each([
    ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: EVIL }],
    ['another subdomain', { 'sec-fetch-site': 'same-site', origin: 'https://other.a.example' }],
    ['an old browser on a page of another site', { 'sec-fetch-site': '', origin: EVIL }],
    ['a sandboxed frame', { 'sec-fetch-site': '', origin: 'null' }],
    ['our page under a name that was rebound', { host: 'evil.example', origin: 'http://evil.example' }],
    ['another port of this machine', { 'sec-fetch-site': '', origin: 'http://127.0.0.1:1' }],
    ['nobody who says where they come from', { 'sec-fetch-site': '', origin: '' }],
  ])('changes nothing for %s', async (name, headers) => {
    const browser = await Browser.signIn(cloud, admin);
    const refused = await browser.ask('POST', '/console/api/v1/roles', { body: { name }, headers });
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    const { body } = await cloud.ask('GET', `/v1/roles?name=${encodeURIComponent(name)}`, { as: admin });
    expect(body.items).toEqual([]);
    expect((await create(browser, name)).status).toBe(200);
  });

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }, 400],
    ['a name that was rebound', { host: 'evil.example:8080' }, 400],
    ['no host', { host: 'evil.example', 'sec-fetch-site': '' }, 400],
    ['localhost', { host: 'localhost:1234' }, 200],
    ['an IPv6 loopback address', { host: '[::1]:1234' }, 200],
  ])('reads for %s as it should', async (_, headers, status) => {
    const browser = await Browser.signIn(cloud, admin);
    expect((await browser.ask('GET', '/console/api/v1/roles', { headers })).status).toBe(status);
  });

  it.each([
    ['http://evil.example/console/api/sign-in', 400],
    ['HTTPS://evil.example/console/api/sign-in', 400],
    ['//a@b/console/api/sign-in#', 400],
    ['/console\\api\\sign-in#', 400],
    ['\\console\\api\\sign-in', 400],
    ['x:/console/api/sign-in', 400],
  ])('is not walked around by the target %s', async (target, status) => {
    const headers = { host: 'evil.example', 'sec-fetch-site': 'cross-site' };
    expect(await statusOf(target, headers)).toBe(status);
  });

  it('answers to absolute targets of our own host', async () => {
    const { host } = new URL(cloud.url);
    expect(await statusOf(`${cloud.url}/console/api/sign-in`, { host })).toBe(200);
    expect(await statusOf(`${cloud.url}/livez?x`, { host })).toBe(await statusOf('/livez?x', { host }));
  });

  it('takes its own public address by its own scheme alone', async () => {
    const own = await TestCloud.start(
      {},
      { SERVICE_PUBLIC_URL: 'https://authz.example.com', SERVICE_CONSOLE_LINKS: 'anywhere' },
    );
    try {
      const browser = new Browser(own);
      const link = await linkOf(own, await own.token());
      const from = (origin: string) => ({ host: 'authz.example.com', origin, 'sec-fetch-site': '' });
      expect((await browser.redeem(link, from('http://authz.example.com'))).status).toBe(400);
      expect((await browser.redeem(link, from('https://authz.example.com'))).status).toBe(200);
    } finally {
      await own.close();
    }
  });

  it('takes no form in place of JSON', async () => {
    const browser = await Browser.signIn(cloud, admin);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const headers = { 'content-type': type };
      const { status } = await browser.ask('POST', '/console/api/v1/roles', { body: '{"name":"made"}', headers });
      expect(status).toBe(415);
    }
  });

  it('answers with headers that let a page run and embed nothing of others', async () => {
    const { headers } = await new Browser(cloud).ask('GET', '/console/api/sign-in');
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    expect(String(headers['content-security-policy'])).not.toMatch(/unsafe|\*|https?:/);
  });
});
