import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
let admin: string;
let clock = Date.parse('2026-06-01T00:00:00Z');

beforeAll(async () => {
  cloud = await TestCloud.start({ now: () => clock });
  admin = await cloud.token();
});

afterAll(() => cloud.close());

const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
const FORM = 'application/x-www-form-urlencoded';
const GRANT = 'grant_type=client_credentials';
const CREDENTIALS = `client_id=${ADMIN.id}&client_secret=${encodeURIComponent(ADMIN.secret)}`;

interface Sent {
  body: string;
  type?: string;
  authorization?: string;
}

const send = ({ body, type = FORM, authorization }: Sent) =>
  cloud.ask('POST', '/oauth/token', {
    body,
    headers: { 'content-type': type, ...(authorization !== undefined && { authorization }) },
  });

describe('the token endpoint', () => {
  const accepted: [behaviour: string, sent: Sent][] = [
    ['the secret in the form', { body: `${GRANT}&${CREDENTIALS}` }],
    ['the secret in a Basic header as it is', { body: GRANT, authorization: basic(ADMIN.id, ADMIN.secret) }],
    [
      'the secret in a Basic header, form-encoded',
      { body: GRANT, authorization: basic(ADMIN.id, ADMIN.secret.replaceAll(' ', '+')) },
    ],
    [
      'the secret in JSON',
      {
        body: JSON.stringify({ grant_type: 'client_credentials', client_id: ADMIN.id, client_secret: ADMIN.secret }),
        type: 'application/json; charset=utf-8',
      },
    ],
  ];

  it.each(accepted)('takes %s', async (_, sent) => {
    const { status, headers, body } = await send(sent);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: expect.any(String),
    });
    expect((await cloud.ask('GET', '/v1/whoami', { as: body.access_token })).body.credential.id).toBe(ADMIN.id);
  });

  const refused: [behaviour: string, sent: Sent, status: number, error: string][] = [
    ['a wrong secret', { body: GRANT, authorization: basic(ADMIN.id, 'wrong') }, 401, 'invalid_client'],
    ['an unknown client', { body: GRANT, authorization: basic('nobody', ADMIN.secret) }, 401, 'invalid_client'],
    ['no credentials', { body: GRANT }, 401, 'invalid_client'],
    ['half of the credentials', { body: `${GRANT}&client_id=${ADMIN.id}` }, 401, 'invalid_client'],
    ['a bearer header', { body: GRANT, authorization: 'Bearer x' }, 401, 'invalid_client'],
    ['a Basic header that is none', { body: GRANT, authorization: 'Basic !!!' }, 401, 'invalid_client'],
    [
      'credentials sent twice',
      { body: `${GRANT}&${CREDENTIALS}`, authorization: basic(ADMIN.id, ADMIN.secret) },
      400,
      'invalid_request',
    ],
    ['no grant type', { body: CREDENTIALS }, 400, 'invalid_request'],
    ['another grant type', { body: `grant_type=password&${CREDENTIALS}` }, 400, 'unsupported_grant_type'],
    ['a parameter given twice', { body: `${GRANT}&${GRANT}&${CREDENTIALS}` }, 400, 'invalid_request'],
    ['an unknown scope', { body: `${GRANT}&scope=everything&${CREDENTIALS}` }, 400, 'invalid_scope'],
    ['another content type', { body: `${GRANT}&${CREDENTIALS}`, type: 'text/plain' }, 400, 'invalid_request'],
    ['JSON that is none', { body: '{', type: 'application/json' }, 400, 'invalid_request'],
    ['JSON that is no object', { body: '[]', type: 'application/json' }, 400, 'invalid_request'],
  ];

  it.each(refused)('refuses %s', async (_, sent, status, error) => {
    const answer = await send(sent);
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.has('www-authenticate')).toBe(status === 401);
  });

  it('names the scope that a client has not, and those that it has', async () => {
    const { body } = await send({ body: `${GRANT}&scope=bundle+everything&${CREDENTIALS}` });
    expect(body.error_description).toMatch(
      /"administrator" does not have the scope "everything": it has access-rules, bundle, credentials, /,
    );
  });

  it('says the same of an unknown client and of a wrong secret', async () => {
    const unknown = await send({ body: GRANT, authorization: basic('nobody', 'x') });
    const wrong = await send({ body: GRANT, authorization: basic(ADMIN.id, 'x') });
    expect(unknown.body).toEqual(wrong.body);
  });

  it('narrows a token to the scopes asked for, and no further than the client has', async () => {
    const token = await cloud.token(ADMIN, 'records:read decisions');
    const { body } = await cloud.ask('GET', '/v1/whoami', { as: token });
    expect(body.scopes).toEqual(['decisions', 'records:read']);
    const refused = await cloud.ask('POST', '/v1/roles', { as: token, body: { name: 'x' } });
    expect({ status: refused.status, detail: refused.body.detail }).toEqual({
      status: 403,
      detail:
        'The access token has fewer scopes than its client "administrator" and lacks "records:write": ask for a new one with that scope.',
    });
    expect((await cloud.ask('GET', '/v1/tenants', { as: token })).status).toBe(403);
    expect((await cloud.ask('GET', '/v1/roles', { as: token })).status).toBe(200);
  });

  it('says the scopes that others imply', async () => {
    const token = await cloud.token(ADMIN, 'records:write');
    const { body } = await cloud.ask('GET', '/v1/whoami', { as: token });
    expect(body.scopes).toEqual(['records:read', 'records:write']);
  });

  it('publishes metadata and keys that verify its tokens', async () => {
    const { body: metadata } = await cloud.ask('GET', '/.well-known/oauth-authorization-server');
    expect(metadata).toMatchObject({
      issuer: cloud.url,
      token_endpoint: `${cloud.url}/oauth/token`,
      jwks_uri: `${cloud.url}/.well-known/jwks.json`,
      grant_types_supported: ['client_credentials'],
    });
    const { body: keys } = await cloud.ask('GET', '/.well-known/jwks.json');
    expect(JSON.stringify(keys)).not.toContain('"d"');
    const { payload, protectedHeader } = await jwtVerify(admin, createLocalJWKSet(keys), {
      issuer: metadata.issuer,
      currentDate: new Date(clock),
    });
    expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    expect(payload).toMatchObject({ sub: ADMIN.id, client_id: ADMIN.id });
  });
});

describe('an access token', () => {
  const client = async (scopes: string[]) => {
    const { body } = await cloud.ask('POST', '/v1/oauth-clients', {
      as: admin,
      body: { name: `c${Math.random()}`, scopes },
    });
    return {
      path: `/v1/oauth-clients/${body.id}`,
      token: await cloud.token({ id: body.client_id, secret: body.client_secret }),
    };
  };
  const asks = async (token: string) => (await cloud.ask('GET', '/v1/whoami', { as: token })).status;

  it('dies with its client, at once', async () => {
    const { path, token } = await client(['decisions']);
    expect(await asks(token)).toBe(200);
    await cloud.ask('DELETE', path, { as: admin });
    expect(await asks(token)).toBe(401);
  });

  it('dies when its client loses a scope that it holds, at once', async () => {
    const { path, token } = await client(['decisions', 'records:read']);
    expect(await asks(token)).toBe(200);
    await cloud.ask('PATCH', path, { as: admin, body: { scopes: ['decisions'] } });
    expect(await asks(token)).toBe(401);
  });

  it('dies when its client gets another secret, at once', async () => {
    const { path, token } = await client(['decisions']);
    const { body } = await cloud.ask('GET', path, { as: admin });
    const fields = { name: body.name, scopes: ['decisions'] };
    const update = { op: 'update', address: body.address, fields, secret: 'another secret, chosen by a person' };
    expect(await asks(token)).toBe(200);
    await cloud.commit(admin, [update]);
    expect(await asks(token)).toBe(401);
  });

  it('gains nothing when its client does', async () => {
    const { path, token } = await client(['decisions']);
    await cloud.ask('PATCH', path, { as: admin, body: { scopes: ['decisions', 'records:read'] } });
    expect(await asks(token)).toBe(200);
    expect((await cloud.ask('GET', '/v1/roles', { as: token })).status).toBe(403);
  });

  it('outlives a restart, on another port', async () => {
    const { token } = await client(['decisions']);
    await cloud.restart();
    expect(await asks(token)).toBe(200);
  });

  it('expires after an hour', async () => {
    const { token } = await client(['decisions']);
    clock += 3_599_000;
    expect(await asks(token)).toBe(200);
    clock += 1_000;
    expect(await asks(token)).toBe(401);
    admin = await cloud.token();
  });

  const forged: [behaviour: string, forge: (token: string) => string][] = [
    ['a broken signature', (token) => `${token.slice(0, -4)}AAAA`],
    [
      'another payload',
      (token) => token.replace(/\.[^.]+\./, `.${Buffer.from('{"client_id":"admin"}').toString('base64url')}.`),
    ],
    ['no signature', (token) => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`],
    ['nonsense', () => 'a.b.c'],
    ['an unknown API key', () => `svc_${'A'.repeat(43)}`],
  ];

  it.each(forged)('with %s is refused', async (_, forge) => {
    expect(await asks(admin)).toBe(200);
    expect(await asks(forge(admin))).toBe(401);
  });
});

describe('an API key', () => {
  it('counts until it expires', async () => {
    const key = await cloud.key(admin, ['decisions'], { expires_at: new Date(clock + 1000).toISOString() });
    expect(key).toMatch(/^svc_[A-Za-z0-9_-]{43}$/);
    expect((await cloud.ask('GET', '/v1/whoami', { as: key })).status).toBe(200);
    clock += 1000;
    expect((await cloud.ask('GET', '/v1/whoami', { as: key })).status).toBe(401);
  });

  it('is in no later answer', async () => {
    const key = await cloud.key(admin, ['decisions']);
    for (const path of ['/v1/api-keys', '/v1/state', '/v1/audit']) {
      const { body } = await cloud.ask('GET', path, { as: admin });
      expect(JSON.stringify(body)).not.toContain(key.slice(4, 20));
    }
  });
});
