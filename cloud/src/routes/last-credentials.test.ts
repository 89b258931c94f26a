import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
/** Operator and administrator of the first tenant. */
let operator: string;
/** Administrator of another one. */
let admin: string;

beforeEach(async () => {
  cloud = await TestCloud.start();
  operator = await cloud.token();
  admin = await cloud.tenant('acme');
});
afterEach(() => cloud.close());

const CLIENT = '/v1/oauth-clients/administrator';
const LATER = '2999-01-01T00:00:00Z';
const change = (...changes: object[]) => ({ method: 'POST', path: '/v1/changesets', body: { changes } });
const spare = (more: object = {}) => ({ name: 'spare', scopes: ['credentials'], ...more });
const all = ['decisions', 'bundle', 'records:read', 'records:write', 'credentials'];

describe('the last credential with the scope "credentials"', () => {
  it.each([
    ['is not deleted', { method: 'DELETE', path: CLIENT, body: undefined }],
    ['does not lose the scope', { method: 'PATCH', path: CLIENT, body: { scopes: ['records:write'] } }],
    ['is not deleted by a change-set', change({ op: 'delete', address: 'oauth_client/administrator' })],
    [
      'does not lose the scope by a change-set',
      change({
        op: 'update',
        address: 'oauth_client/administrator',
        fields: { name: 'administrator', scopes: ['bundle'] },
      }),
    ],
  ])('%s', async (_, { method, path, body }) => {
    const answer = await cloud.ask(method, path, { as: admin, body });
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: expect.stringMatching(/administrator .*"acme".*create one/) },
    });
    expect((await cloud.ask('GET', CLIENT, { as: admin })).body.scopes).toContain('credentials');
  });

  it('is deleted once there is another that lasts', async () => {
    await cloud.key(admin, ['credentials'], { expires_at: LATER });
    expect((await cloud.ask('DELETE', CLIENT, { as: admin })).status).toBe(409);
    const key = await cloud.key(admin, ['credentials']);
    expect((await cloud.ask('DELETE', CLIENT, { as: admin })).status).toBe(204);
    const { body } = await cloud.ask('GET', '/v1/api-keys', { as: key });
    const { name } = body.items.find((item: { expires_at?: string }) => item.expires_at === undefined);
    const expiring = { as: key, body: { expires_at: LATER } };
    expect((await cloud.ask('PATCH', `/v1/api-keys/${name}`, expiring)).status).toBe(409);
    expect((await cloud.ask('PATCH', `/v1/api-keys/${name}`, { as: key, body: { description: 'x' } })).status).toBe(
      200,
    );
  });

  it('gives way to one that the same change-set makes', async () => {
    const { method, path, body } = change(
      { op: 'delete', address: 'oauth_client/administrator' },
      { op: 'create', kind: 'oauth_client', fields: spare() },
    );
    expect((await cloud.ask(method, path, { as: admin, body })).status).toBe(200);
  });
});

describe('the last operator', () => {
  it('is not deleted, though the tenant has other administrators', async () => {
    await cloud.ask('POST', '/v1/oauth-clients', { as: operator, body: spare({ scopes: all }) });
    expect(await cloud.ask('DELETE', CLIENT, { as: operator })).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/last operator.*create another/) },
    });
    await cloud.ask('POST', '/v1/oauth-clients', { as: operator, body: spare({ name: 'second', operator: true }) });
    expect((await cloud.ask('DELETE', CLIENT, { as: operator })).status).toBe(204);
  });

  it('is not deleted by two who delete each other', async () => {
    const body = { name: 'two', scopes: all, operator: true };
    const { body: made } = await cloud.ask('POST', '/v1/oauth-clients', { as: operator, body });
    await cloud.key(operator, ['credentials']);
    const second = await cloud.token({ id: made.client_id, secret: made.client_secret });
    const answers = await Promise.all([
      cloud.ask('DELETE', '/v1/oauth-clients/two', { as: operator }),
      cloud.ask('DELETE', CLIENT, { as: second }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
  });
});

describe('a credential', () => {
  it.each([
    ['deletes none', 'DELETE', undefined],
    ['changes none', 'PATCH', { description: 'x' }],
    ['narrows none', 'PATCH', { scopes: ['credentials'] }],
  ])('%s that holds a scope it lacks', async (_, method, body) => {
    const key = await cloud.key(admin, ['credentials']);
    const { body: made } = await cloud.ask('POST', '/v1/api-keys', {
      as: admin,
      body: { name: 'wide', scopes: ['credentials', 'decisions'] },
    });
    expect(await cloud.ask(method, `/v1/api-keys/${made.id}`, { as: key, body })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('"decisions"') },
    });
    expect((await cloud.ask(method, `/v1/api-keys/${made.id}`, { as: admin, body })).status).toBeLessThan(300);
  });
});
