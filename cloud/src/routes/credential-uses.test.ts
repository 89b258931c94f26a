import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestCloud } from '../../testing/test-cloud.js';

const BEGAN = Date.parse('2027-03-01T12:00:00.000Z');
const HOUR_MS = 60 * 60 * 1000;

let cloud: TestCloud;
let admin: string;
let now = BEGAN;

beforeAll(async () => {
  cloud = await TestCloud.start({ now: () => now });
  admin = await cloud.key(await cloud.token(), ['decisions', 'records:write', 'credentials']);
});
afterAll(() => cloud.close());

const get = async (path: string) => (await cloud.ask('GET', path, { as: admin })).body;
const made = async (name: string) =>
  (await cloud.ask('POST', '/v1/api-keys', { as: admin, body: { name, scopes: ['decisions'] } })).body;

it('tells when an API key was last used, also when it was not allowed, and over a restart', async () => {
  const { id, secret, ...record } = await made('shop');
  expect([record.last_used_at, (await get(`/v1/api-keys/${id}`)).last_used_at]).toEqual([undefined, undefined]);

  now = BEGAN + HOUR_MS;
  expect((await cloud.ask('GET', '/v1/roles', { as: secret })).status).toBe(403);
  const used = new Date(now).toISOString();
  expect((await get(`/v1/api-keys/${id}`)).last_used_at).toBe(used);
  await cloud.restart();
  expect((await get('/v1/api-keys?name=shop')).items).toMatchObject([{ id, last_used_at: used }]);
});

it('tells of an OAuth client when it got or used a token', async () => {
  now = BEGAN + 2 * HOUR_MS;
  const { client_id, client_secret } = (
    await cloud.ask('POST', '/v1/oauth-clients', { as: admin, body: { name: 'ci', scopes: ['records:read'] } })
  ).body;
  const token = await cloud.token({ id: client_id, secret: client_secret });
  const lastUse = async () => (await get(`/v1/oauth-clients/${client_id}`)).last_used_at;
  expect(await lastUse()).toBe(new Date(now).toISOString());
  now += HOUR_MS / 2;
  expect((await cloud.ask('GET', '/v1/roles', { as: token })).status).toBe(200);
  expect(await lastUse()).toBe(new Date(now).toISOString());
});

it('is told to who asks for what has changed since, though the record has not', async () => {
  const { id, secret } = await made('counter');
  const path = `/v1/api-keys/${id}`;
  const first = await cloud.ask('GET', path, { as: admin });
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
  const since = () => cloud.ask('GET', path, { as: admin, headers });
  expect((await since()).status).toBe(304);
  now += HOUR_MS;
  await cloud.ask('GET', '/v1/roles', { as: secret });
  const used = new Date(now).toISOString();
  expect(await since()).toMatchObject({ status: 200, body: { last_used_at: used } });
});

it('is no part of the record: it makes no revision, is in no state, and a patch may repeat it', async () => {
  const { id, secret } = await made('till');
  const before = await get('/v1/state');
  await cloud.ask('GET', '/v1/roles', { as: secret });
  expect(await get('/v1/state')).toEqual(before);
  expect(JSON.stringify(before)).not.toContain('last_used_at');
  const { last_used_at, ...record } = await get(`/v1/api-keys/${id}`);
  const body = { ...record, last_used_at, description: 'The till.' };
  const headers = { 'content-type': 'application/merge-patch+json' };
  const changed = await cloud.ask('PATCH', `/v1/api-keys/${id}`, { as: admin, body, headers });
  expect(changed).toMatchObject({ status: 200, body: { description: 'The till.', last_used_at } });
});
