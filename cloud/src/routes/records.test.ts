import { COLLECTIONS, KINDS, type Kind } from '@authz-service/core/records/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, type Ask, type TestAnswer, TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
let admin: string;

beforeAll(async () => {
  cloud = await TestCloud.start();
  admin = await cloud.token();
});

afterAll(() => cloud.close());

const ask = (method: string, path: string, more: Ask = {}) => cloud.ask(method, path, { as: admin, ...more });

/** For each kind, a record to create, and a change to it. */
const LIVES: { [K in Kind]: { path: string; body: object; patch: object } } = {
  application: { path: 'shop', body: { name: 'shop' }, patch: { description: 'Sells.' } },
  resource_type: {
    path: 'shop/order',
    body: { application: 'shop', name: 'order', actions: ['read'] },
    patch: { actions: ['read', 'write'] },
  },
  resource: {
    path: 'shop/order/O-1',
    body: { application: 'shop', type: 'order', name: 'O-1', properties: { total: 1, paid: true } },
    patch: { properties: { paid: null, total: 2 } },
  },
  subject_type: { path: 'user', body: { name: 'user' }, patch: { properties: { level: 'number' } } },
  directory: { path: 'okta', body: { name: 'okta' }, patch: { removals: '5%' } },
  context_attribute: { path: 'amount', body: { name: 'amount', type: 'number' }, patch: { type: 'any' } },
  subject: { path: 'user/bob', body: { type: 'user', id: 'bob' }, patch: { name: 'Bob' } },
  role: { path: 'shop/keeper', body: { application: 'shop', name: 'keeper' }, patch: { description: 'Keeps.' } },
  group: { path: 'staff', body: { name: 'staff' }, patch: { description: 'All.' } },
  policy: {
    path: 'shop/orders',
    body: { application: 'shop', name: 'orders', effect: 'ALLOW', resource_type: 'order', actions: ['read'] },
    patch: { effect: 'DENY', priority: 5 },
  },
  policy_assignment: {
    path: 'shop/orders//role/shop/keeper',
    body: { policy: 'shop/orders', entity_type: 'role', entity: 'shop/keeper' },
    patch: { expires_at: '2030-01-01T00:00:00Z' },
  },
  role_assignment: {
    path: 'shop/keeper//subject/user/bob',
    body: { role: 'shop/keeper', entity_type: 'subject', entity: 'user/bob' },
    patch: { expires_at: '2030-01-01T01:00:00+01:00' },
  },
  group_membership: {
    path: 'staff//subject/user/bob',
    body: { group: 'staff', entity_type: 'subject', entity: 'user/bob' },
    patch: { expires_at: '2030-01-01T00:00:00Z' },
  },
  access_rule: {
    path: 'four-eyes',
    body: { name: 'four-eyes', never: { actions: ['*'], resources: { types: ['shop/order'] } } },
    patch: { mode: 'warn' },
  },
  api_key: { path: 'agent', body: { name: 'agent', scopes: ['bundle'] }, patch: { scopes: ['decisions'] } },
  oauth_client: { path: 'ci', body: { name: 'ci', scopes: ['records:write'] }, patch: { description: 'Pipelines.' } },
};

describe.each(KINDS)('a record of the kind %s', (kind) => {
  const collection = `/v1/${COLLECTIONS[kind]}`;
  const { path, body, patch } = LIVES[kind];
  let made: TestAnswer;

  it('is made', async () => {
    made = await ask('POST', collection, { body });
    expect(made.body).toMatchObject({ kind, address: `${kind}/${path}`, managed_by: 'api' });
    expect(made.status).toBe(201);
    expect(made.headers.get('etag')).toMatch(new RegExp(`^"${made.body.revision}\\.[0-9a-f]{16}"$`));
  });

  it('is read by its location, its id and its path', async () => {
    const names = [made.body.id, path].map((name) => `${collection}/${encodeURIComponent(name)}`);
    for (const place of [made.headers.get('location') ?? '', ...names]) {
      const { status, body: read, headers } = await ask('GET', place);
      const { secret: _s, client_id: _c, client_secret: _cs, ...shown } = made.body;
      expect({ place, status, read }).toEqual({ place, status: 200, read: shown });
      expect(headers.get('etag')).toBe(made.headers.get('etag'));
    }
  });

  it('is not sent again to who has it', async () => {
    const headers = { 'if-none-match': made.headers.get('etag') ?? '' };
    const { status, body: nothing } = await ask('GET', `${collection}/${encodeURIComponent(path)}`, { headers });
    expect({ status, bytes: nothing.length }).toEqual({ status: 304, bytes: 0 });
  });

  it('is in the list', async () => {
    const { body: page } = await ask('GET', `${collection}?address=${encodeURIComponent(`${kind}/${path}`)}`);
    expect(page.items).toHaveLength(1);
    expect(page).not.toHaveProperty('next_cursor');
  });

  it('is changed by a merge patch of who has seen it', async () => {
    const place = `${collection}/${encodeURIComponent(path)}`;
    const headers = { 'if-match': made.headers.get('etag') ?? '', 'content-type': 'application/merge-patch+json' };
    const changed = await ask('PATCH', place, { body: patch, headers });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).toMatch(new RegExp(`^"${changed.body.revision}\\.`));
    expect(changed.body.revision).toBeGreaterThan(made.body.revision);
    expect((await ask('PATCH', place, { body: patch, headers })).status).toBe(412);
    expect((await ask('GET', place)).body).toEqual(changed.body);
  });

  it('is left alone by a patch that changes nothing', async () => {
    const place = `${collection}/${encodeURIComponent(path)}`;
    const { body: before } = await ask('GET', place);
    const { body: state } = await ask('GET', '/v1/state');
    const { status, body: after } = await ask('PATCH', place, { body: before });
    expect({ status, after }).toEqual({ status: 200, after: before });
    expect((await ask('GET', '/v1/state')).body.revision).toBe(state.revision);
  });

  it('is refused a second time', async () => {
    const { status, body: problem } = await ask('POST', collection, { body });
    expect({ status, code: problem.code }).toEqual({ status: 409, code: 'conflict' });
  });
});

describe('a patch', () => {
  it('merges properties and takes away what is null', async () => {
    const { body } = await ask('GET', '/v1/resources/shop%2Forder%2FO-1');
    expect(body.properties).toEqual({ total: 2 });
  });

  it('of a name renames the record, and what mentions it follows', async () => {
    const { body: before } = await ask('GET', '/v1/roles/shop%2Fkeeper');
    const { status, body } = await ask('PATCH', '/v1/roles/shop%2Fkeeper', { body: { name: 'owner' } });
    expect({ status, id: body.id, address: body.address }).toEqual({
      status: 200,
      id: before.id,
      address: 'role/shop/owner',
    });
    const { body: assignment } = await ask('GET', '/v1/role-assignments/shop%2Fowner%2F%2Fsubject%2Fuser%2Fbob');
    expect(assignment).toMatchObject({ role: 'shop/owner', role_id: before.id });
    await ask('PATCH', '/v1/roles/shop%2Fowner', { body: { name: 'keeper' } });
  });

  it('of a subject id renames the subject', async () => {
    const { body } = await ask('PATCH', '/v1/subjects/bob', { body: { id: 'bobby' } });
    expect(body).toMatchObject({ id: 'bobby', address: 'subject/user/bobby', name: 'Bob' });
    expect((await ask('GET', '/v1/subjects/bob')).status).toBe(404);
    await ask('PATCH', '/v1/subjects/bobby', { body: { id: 'bob' } });
  });
});

describe('a subject', () => {
  it('that shares its id with one of another type must be named with its type', async () => {
    await ask('POST', '/v1/subjects', { body: { type: 'service', id: 'bob' } });
    const { status, body } = await ask('GET', '/v1/subjects/bob');
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'ambiguous_name' });
    expect((await ask('DELETE', '/v1/subjects/service%2Fbob')).status).toBe(204);
    expect((await ask('GET', '/v1/subjects/bob')).body.type).toBe('user');
  });

  it('is asked for where the id of one is the name of another, rather than taken for it', async () => {
    const as = await cloud.token();
    const { body: other } = await cloud.ask('POST', '/v1/oauth-clients', {
      as,
      body: { name: ADMIN.id, scopes: ['decisions'] },
    });
    const { status, body } = await cloud.ask('DELETE', `/v1/oauth-clients/${ADMIN.id}`, { as });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'ambiguous_name' });
    expect(body.detail).toContain('"administrator"');
    expect(body.detail).toContain(other.id);
    expect((await cloud.ask('DELETE', `/v1/oauth-clients/${other.id}`, { as })).status).toBe(204);
    expect((await cloud.ask('GET', `/v1/oauth-clients/${ADMIN.id}`, { as })).body.name).toBe('administrator');
  });
});

describe('a name with all sorts of characters', () => {
  it.each(['a/b', 'with space', '100%', 'ünï/cödé', '..', 'a?b#c&d', '"quoted"'])('%s is found again', async (name) => {
    const { body, headers } = await ask('POST', '/v1/groups', { body: { name } });
    const path = body.address.slice('group/'.length);
    for (const place of [headers.get('location') ?? '', `/v1/groups/${encodeURIComponent(path)}`]) {
      // Clients resolve dot segments, so only the id reaches such a name.
      if (path === '..' && place.endsWith('/..')) continue;
      expect((await ask('GET', place)).body.name).toBe(name);
    }
    expect((await ask('GET', `/v1/groups?name=${encodeURIComponent(name)}`)).body.items).toHaveLength(1);
    await ask('DELETE', headers.get('location') ?? '');
  });
});

describe('a list', () => {
  beforeAll(async () => {
    const subjects = Array.from({ length: 250 }, (_, index) => ({
      op: 'create',
      kind: 'subject',
      fields: { type: index % 2 ? 'robot' : 'person', id: `s${index}`, name: index < 10 ? 'few' : 'many' },
    }));
    await cloud.commit(admin, [
      ...subjects,
      {
        op: 'create',
        kind: 'policy',
        fields: { name: 'high', effect: 'DENY', priority: 7, resource_type: 'shop/order', actions: ['*'] },
      },
    ]);
    await ask('POST', '/v1/changesets', {
      body: { stack: 'git', changes: [{ op: 'create', kind: 'group', fields: { name: 'owned' } }] },
    });
  });

  const all = async (query: string, limit: number) => {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const next = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { status, body } = await ask('GET', `/v1/subjects?limit=${limit}${query}${next}`);
      expect(status).toBe(200);
      expect(body.items.length).toBeLessThanOrEqual(limit);
      found.push(...body.items.map((item: { address: string }) => item.address));
      cursor = body.next_cursor;
    } while (cursor !== undefined);
    return found;
  };

  it.each([1000, 252, 251, 100, 7])('comes whole and in order in pages of %i', async (limit) => {
    const found = await all('', limit);
    expect(found).toHaveLength(251);
    expect(found).toEqual([...new Set(found)].sort());
  });

  it('is filtered page by page', async () => {
    const found = await all('&type=robot', 20);
    expect(found).toHaveLength(125);
  });

  it('goes on where it was while records come and go', async () => {
    const { body: first } = await ask('GET', '/v1/subjects?limit=10&type=robot');
    await ask('DELETE', `/v1/subjects/${encodeURIComponent(first.items[9].address.slice('subject/'.length))}`);
    await ask('POST', '/v1/subjects', { body: { type: 'robot', id: '000' } });
    const { body: second } = await ask('GET', `/v1/subjects?limit=10&type=robot&cursor=${first.next_cursor}`);
    expect(second.items[0].address > first.items[9].address).toBe(true);
  });

  it.each([
    ['groups?managed_by=git', ['group/owned']],
    ['policies?priority=7', ['policy/high']],
    ['policies?effect=DENY&priority=5', ['policy/shop/orders']],
    ['resources?application=shop', ['resource/shop/order/O-1']],
    ['resources?application=other', []],
    ['policy-assignments?entity=shop%2Fkeeper', ['policy_assignment/shop/orders//role/shop/keeper']],
    ['role-assignments?entity_id=user%2Fbob', ['role_assignment/shop/keeper//subject/user/bob']],
    ['role-assignments?entity_id=nobody', []],
    ['roles?application_id=nobody', []],
  ])('filtered as in %s', async (query, addresses) => {
    const { status, body } = await ask('GET', `/v1/${query}`);
    expect(status).toBe(200);
    expect(body.items.map((item: { address: string }) => item.address)).toEqual(addresses);
  });

  it('is filtered by a type written bare, with the application or without', async () => {
    await cloud.commit(admin, [
      { op: 'create', kind: 'application', fields: { name: 'filed' } },
      { op: 'create', kind: 'resource_type', fields: { application: 'filed', name: 'invoice', actions: ['read'] } },
      { op: 'create', kind: 'resource', fields: { type: 'filed/invoice', name: 'F-1' } },
    ]);
    const addresses = async (query: string) => {
      const { body } = await ask('GET', `/v1/resources?${query}`);
      return body.items.map(({ address }: { address: string }) => address);
    };
    const qualified = ['resource/filed/invoice/F-1'];
    for (const query of ['type=filed%2Finvoice', 'type=invoice', 'type=invoice&application=filed'])
      expect(await addresses(query)).toEqual(qualified);
    expect(await addresses('type=invoice&application=other')).toEqual([]);
    expect(await addresses('type=voice')).toEqual([]);
  });

  it('is refused a filter that no record can ever pass', async () => {
    for (const query of ['policies?effect=allow', 'role-assignments?entity_type=user']) {
      const { status, body } = await ask('GET', `/v1/${query}`);
      expect({ status, detail: body.detail }).toEqual({ status: 400, detail: expect.stringMatching(/write one of/i) });
    }
  });

  it('is filtered by the id of a mentioned record', async () => {
    const { body: application } = await ask('GET', '/v1/applications/shop');
    for (const collection of ['roles', 'resources', 'resource-types']) {
      const { body } = await ask('GET', `/v1/${collection}?application_id=${application.id}`);
      expect({ collection, found: body.items.length }).toEqual({ collection, found: 1 });
    }
  });

  it('takes no cursor of another filter or kind, and none that was changed', async () => {
    const { body } = await ask('GET', '/v1/subjects?limit=1&type=robot');
    const cursor: string = body.next_cursor;
    const changed = `${cursor.slice(0, -4)}${cursor.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
    for (const path of [
      `/v1/subjects?cursor=${cursor}`,
      `/v1/roles?type=robot&cursor=${cursor}`,
      `/v1/subjects?type=robot&cursor=${changed}`,
    ]) {
      const answer = await ask('GET', path);
      expect({ path, code: answer.body.code }).toEqual({
        path,
        code: path.includes('/v1/roles') ? 'invalid_request' : 'invalid_cursor',
      });
    }
    expect((await ask('GET', `/v1/subjects?type=robot&limit=5&cursor=${cursor}`)).status).toBe(200);
  });
});

it('HEAD answers like GET, without a body', async () => {
  const head = await ask('HEAD', '/v1/applications/shop');
  const get = await ask('GET', '/v1/applications/shop');
  expect({ status: head.status, etag: head.headers.get('etag'), bytes: head.body }).toEqual({
    status: 200,
    etag: get.headers.get('etag'),
    bytes: Buffer.alloc(0),
  });
});

describe('a refusal of one record', () => {
  it.each([
    ['POST', '/v1/roles', { name: '' }],
    ['POST', '/v1/groups', { name: 'x', description: 1 }],
    ['POST', '/v1/role-assignments', { role: 'nobody', entity_type: 'role', entity: 'nothing' }],
    ['POST', '/v1/api-keys', { name: 'x', scopes: ['bundle'], expires_at: 'yesterday' }],
  ])('names its own fields, not a list of changes: %s %s', async (method, path, body) => {
    const answer = await ask(method, path, { body });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).not.toContain('/changes');
  });
});
