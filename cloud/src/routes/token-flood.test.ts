import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ADMIN, TestCloud } from '../../testing/test-cloud.js';
import { type Derive, derive } from '../auth/scrypt.js';

const CHOSEN = 'chosen by a person';

/** Stands still, so that no failure is forgotten while a test runs. */
const now = () => Date.parse('2026-06-01T00:00:00Z');

let cloud: TestCloud;
let admin: string;
/** The secrets whose derivation has begun. */
let begun: string[];
/** Derivations of these secrets wait until `release` is called. */
let held: (secret: string) => boolean;
let release: () => void;
let released: Promise<void>;

const holding: Derive = async (secret, salt, cost) => {
  begun.push(secret);
  if (held(secret)) await released;
  return await derive(secret, salt, cost);
};

beforeEach(async () => {
  begun = [];
  held = () => false;
  released = new Promise((resolve) => {
    release = resolve;
  });
  cloud = await TestCloud.start({ derive: holding, now }, { SERVICE_TRUSTED_PROXIES: '127.0.0.1' });
  admin = await cloud.token();
});
afterEach(async () => {
  release();
  await cloud.close();
});

const fields = (name: string) => ({ name, scopes: ['decisions'] });
const choosing = (name: string, secret = CHOSEN) => ({
  op: 'create',
  kind: 'oauth_client',
  fields: fields(name),
  secret,
});

/** The id of a new client with a chosen secret. */
async function chosenClient(): Promise<string> {
  return (await cloud.commit(admin, [choosing('chosen')])).created[0].id;
}

async function generatedClient(): Promise<{ id: string; secret: string }> {
  const { body } = await cloud.ask('POST', '/v1/oauth-clients', { as: admin, body: fields('generated') });
  return { id: body.client_id, secret: body.client_secret };
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const form = (id: string, secret: string) =>
  new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }).toString();
const ask = (id: string, secret: string, address = '198.51.100.1') =>
  cloud.ask('POST', '/oauth/token', { body: form(id, secret), headers: { ...FORM, 'x-forwarded-for': address } });
const begins = (secret: string) => vi.waitFor(() => expect(begun).toContain(secret), { interval: 2 });

describe('while more secrets wait to be checked than may', () => {
  it('the rest is told to come again, and all else goes on', async () => {
    const [chosen, generated] = [await chosenClient(), await generatedClient()];
    held = (secret) => secret.startsWith('wrong');
    const early: number[] = [];
    const flood = Array.from({ length: 40 }, async (_, index) => {
      const answer = await ask(chosen, `wrong ${index}`);
      early.push(answer.status);
      return answer;
    });
    // One is being checked and 32 wait.
    await vi.waitFor(() => expect(early).toEqual(Array(7).fill(429)), { interval: 2 });

    expect(await cloud.token(generated)).toBeTruthy();
    expect((await ask(generated.id, 'wrong')).status).toBe(401);
    expect((await ask('nobody', 'wrong')).status).toBe(401);
    expect(await cloud.token(ADMIN)).toBeTruthy();
    expect((await cloud.ask('POST', '/v1/roles', { as: admin, body: { name: 'auditor' } })).status).toBe(201);
    expect((await cloud.ask('POST', '/v1/tenants', { as: admin, body: { name: 'acme' } })).status).toBe(201);
    expect((await cloud.commit(admin, [choosing('another')])).added).toBe(1);

    release();
    const answers = await Promise.all(flood);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(30);
    for (const { headers, body } of refused) {
      expect(body).toMatchObject({ code: 'too_many_requests', status: 429 });
      expect(headers.get('retry-after')).toMatch(/^\d+$/);
      expect(headers.get('content-type')).toBe('application/problem+json');
    }
  });

  it('another caller takes a place', async () => {
    const chosen = await chosenClient();
    await cloud.restart();
    held = (secret) => secret.startsWith('wrong');
    const flood = Promise.all(Array.from({ length: 33 }, (_, index) => ask(chosen, `wrong ${index}`)));
    await begins('wrong 0');
    const right = ask(chosen, CHOSEN, '198.51.100.2');
    release();
    expect((await right).status).toBe(200);
    await flood;
  });
});

describe('wrong secrets of a client', () => {
  it('make callers at the same address wait, and nobody else', async () => {
    const chosen = await chosenClient();
    const statuses: number[] = [];
    for (let count = 0; count < 11; count++) statuses.push((await ask(chosen, 'wrong')).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    expect((await ask(chosen, CHOSEN)).status).toBe(429);
    expect((await ask(chosen, CHOSEN, '198.51.100.2')).status).toBe(200);
    expect((await ask(ADMIN.id, ADMIN.secret)).status).toBe(200);
  });

  it('count for the connection’s own address where its proxy is not trusted', async () => {
    const other = await TestCloud.start({ now });
    const send = (secret: string, address: string) =>
      other.ask('POST', '/oauth/token', {
        body: form(ADMIN.id, secret),
        headers: { ...FORM, 'x-forwarded-for': address },
      });
    for (let count = 0; count < 10; count++) await send('wrong', `198.51.100.${count}`);
    expect((await send(ADMIN.secret, '198.51.100.200')).status).toBe(429);
    await other.close();
  });
});

describe('a secret whose check waits', () => {
  it('is not checked any more once its caller has gone', async () => {
    const chosen = await chosenClient();
    held = (secret) => secret === 'wrong first';
    const first = ask(chosen, 'wrong first');
    await begins('wrong first');
    const leaving = request(`${cloud.url}/oauth/token`, { method: 'POST', headers: FORM });
    leaving.on('error', () => {});
    leaving.end(form(chosen, 'wrong second'), () => leaving.destroy());
    await vi.waitFor(
      async () => {
        const { body } = await cloud.ask('GET', '/metrics');
        expect(String(body)).toMatch(/requests_total\{method="POST",route="\/oauth\/token",status="499"\} 1/);
      },
      { interval: 5 },
    );
    release();
    expect((await first).status).toBe(401);
    expect((await ask(chosen, 'wrong third')).status).toBe(401);
    expect(begun.filter((secret) => secret.startsWith('wrong'))).toEqual(['wrong first', 'wrong third']);
  });

  it('earns no token where the client has got another one meanwhile', async () => {
    const chosen = await chosenClient();
    await cloud.restart();
    admin = await cloud.token();
    held = (secret) => secret === CHOSEN;
    const late = ask(chosen, CHOSEN);
    await begins(CHOSEN);
    const update = {
      op: 'update',
      address: 'oauth_client/chosen',
      fields: fields('chosen'),
      secret: 'a new secret of hers',
    };
    await cloud.commit(admin, [update]);
    release();
    expect(await late).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });
});

describe('a secret that a change-set chooses', () => {
  it('is hashed beside the commits of its tenant', async () => {
    held = (secret) => secret === 'a secret that takes long';
    const slow = cloud.commit(admin, [choosing('slow', 'a secret that takes long')]);
    await begins('a secret that takes long');
    const quick = await cloud.commit(admin, [{ op: 'create', kind: 'role', fields: { name: 'auditor' } }]);
    release();
    const [number] = (await slow).revision.split('.');
    expect(Number(number)).toBe(Number(quick.revision.split('.')[0]) + 1);
  });

  it('is not hashed for whoever may not choose one, nor with more than a hundred others', async () => {
    const changes = Array.from({ length: 101 }, (_, index) => choosing(`many-${index}`));
    const writer = await cloud.key(admin, ['records:write']);
    begun = [];
    const forbidden = await cloud.ask('POST', '/v1/changesets', { as: writer, body: { changes } });
    expect(forbidden.status).toBe(403);
    const { status, body } = await cloud.ask('POST', '/v1/changesets', { as: admin, body: { changes } });
    expect({ status, errors: body.errors }).toMatchObject({
      status: 400,
      errors: [{ pointer: '/changes/100/secret', detail: expect.stringContaining('at most 100') }],
    });
    expect(begun).toEqual([]);
  });
});
