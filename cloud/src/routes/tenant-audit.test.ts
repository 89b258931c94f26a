import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
let operator: string;

beforeEach(async () => {
  cloud = await TestCloud.start({ now: () => Date.parse('2026-06-01T00:00:00Z') });
  operator = await cloud.token();
});
afterEach(() => cloud.close());

const trail = (query = '', as = operator) => cloud.ask('GET', `/v1/audit/tenants${query}`, { as });

describe('the audit of tenants', () => {
  it('says who made and removed a tenant, when that is gone and after a restart', async () => {
    const headers = { 'x-request-id': 'make it' };
    const made = await cloud.ask('POST', '/v1/tenants', { as: operator, body: { name: 'acme' }, headers });
    const removal = { as: operator, headers: { 'x-request-id': 'remove it' } };
    await cloud.ask('DELETE', '/v1/tenants/acme', removal);
    await cloud.restart();
    operator = await cloud.token();

    const tenant = { id: made.body.id, name: 'acme' };
    const credential = { kind: 'oauth_client', id: ADMIN.id, name: 'administrator' };
    const at = '2026-06-01T00:00:00.000Z';
    expect((await trail()).body).toEqual({
      items: [
        { op: 'delete', at, tenant, request_id: 'remove it', credential },
        { op: 'create', at, tenant, request_id: 'make it', credential },
        {
          op: 'create',
          at,
          tenant: { id: expect.any(String), name: 'default' },
          request_id: expect.any(String),
          credential: { kind: 'bootstrap', id: 'bootstrap', name: 'bootstrap' },
        },
      ],
    });
  });

  it('holds nothing of what was refused', async () => {
    await cloud.ask('POST', '/v1/tenants', { as: operator, body: { name: 'default' } });
    await cloud.ask('DELETE', '/v1/tenants/default', { as: operator });
    await cloud.ask('DELETE', '/v1/tenants/nobody', { as: operator });
    expect((await trail()).body.items).toHaveLength(1);
  });

  it('comes in pages', async () => {
    await cloud.tenant('acme');
    const first = await trail('?limit=1');
    expect(first.body.items).toMatchObject([{ tenant: { name: 'acme' } }]);
    const second = await trail(`?limit=1&cursor=${encodeURIComponent(first.body.next_cursor)}`);
    expect(second.body).toMatchObject({ items: [{ tenant: { name: 'default' } }] });
    expect(second.body).not.toHaveProperty('next_cursor');
  });

  it('is for operators alone', async () => {
    const { status, body } = await trail('', await cloud.tenant('acme'));
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'forbidden' });
  });
});
