import { unpackBundle } from '@authz-service/core/bundle/read';
import { COLLECTIONS, isCredential, KINDS } from '@authz-service/core/records/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../testing/browser.js';
import { ALICE_READS, billing, type TestAnswer, TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
/** Tokens of the administrators of two tenants; only the first tenant holds records. */
let owner: string;
let stranger: string;
/** One record of each kind of the owner's. */
const targets = new Map<string, { id: string; address: string }>();
let cursor: string;

const LIMITS = { compressed: 1e6, unpacked: 1e7 };
const covered = new Set<string>();

beforeAll(async () => {
  cloud = await TestCloud.start();
  owner = await cloud.tenant('owner');
  stranger = await cloud.tenant('stranger');
  await cloud.commit(owner, billing());
  await cloud.commit(owner, [
    { op: 'create', kind: 'subject_type', fields: { name: 'user' } },
    { op: 'create', kind: 'context_attribute', fields: { name: 'amount', type: 'number' } },
    { op: 'create', kind: 'directory', fields: { name: 'okta' } },
  ]);
  const rule = {
    name: 'rule',
    never: { actions: ['approve'], resources: { types: ['billing/invoice'] } },
    mode: 'warn',
  };
  await cloud.commit(owner, [{ op: 'create', kind: 'access_rule', fields: rule }]);
  await cloud.key(owner, ['bundle']);
  const { body } = await cloud.ask('GET', '/v1/state', { as: owner });
  for (const record of body.records) targets.set(record.kind, { id: record.id, address: record.address });
  await cloud.commit(owner, [{ op: 'create', kind: 'role', fields: { name: 'other' } }]);
  cursor = (await cloud.ask('GET', '/v1/roles?limit=1', { as: owner })).body.next_cursor;
});

afterAll(() => cloud.close());

/** The answer to the stranger; the route is noted as covered. */
async function strange(method: string, route: string, path: string, body?: unknown): Promise<TestAnswer> {
  covered.add(`${method} ${route}`);
  return await cloud.ask(method, path, { as: stranger, ...(body !== undefined && { body }) });
}

describe.each(KINDS)('%s of another tenant', (kind) => {
  const collection = `/v1/${COLLECTIONS[kind]}`;
  const item = `${collection}/{id}`;
  const target = () => {
    const found = targets.get(kind);
    if (!found) throw new Error(`no ${kind}`);
    return found;
  };
  const names = () => [target().id, target().address.slice(kind.length + 1)].map(encodeURIComponent);

  it('is in no list', async () => {
    const { status, body } = await strange('GET', collection, collection);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(target().id);
    const own = kind === 'oauth_client' ? 1 : 0;
    expect(body.items).toHaveLength(own);
    const filtered = await strange('GET', collection, `${collection}?id=${encodeURIComponent(target().id)}`);
    expect(filtered.body.items).toEqual([]);
  });

  it('cannot be read, changed or deleted, by id or path', async () => {
    const secret = isCredential(kind) ? ([['POST', {}]] as const) : [];
    for (const name of names()) {
      // The stranger's own administrator has the same path as the owner's.
      if (kind === 'oauth_client' && name === 'administrator') continue;
      for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE'], ...secret] as const) {
        const end = method === 'POST' ? '/secret' : '';
        const { status, body: problem } = await strange(method, item + end, `${collection}/${name}${end}`, body);
        expect({ method, name, status, code: problem.code }).toEqual({ method, name, status: 404, code: 'not_found' });
      }
    }
    const { status } = await cloud.ask('GET', `${collection}/${encodeURIComponent(target().id)}`, { as: owner });
    expect(status).toBe(200);
  });
});

describe('what a stranger makes', () => {
  it('cannot refer to records of another tenant', async () => {
    const application = targets.get('application')?.id;
    const role = targets.get('role')?.id;
    const rows: [string, object][] = [
      ['/v1/resource-types', { application_id: application, name: 'x', actions: [] }],
      ['/v1/resource-types', { application: 'billing', name: 'x', actions: [] }],
      ['/v1/resources', { type: targets.get('resource_type')?.id, name: 'x' }],
      ['/v1/roles', { application_id: application, name: 'x' }],
      [
        '/v1/policies',
        { name: 'x', effect: 'ALLOW', resources: [{ resource_id: targets.get('resource')?.id, actions: ['*'] }] },
      ],
      ['/v1/policy-assignments', { policy_id: targets.get('policy')?.id, entity_type: 'role', entity_id: role }],
      ['/v1/role-assignments', { role_id: role, entity_type: 'subject', entity: 'user/alice' }],
      ['/v1/group-memberships', { group_id: targets.get('group')?.id, entity_type: 'subject', entity: 'user/alice' }],
      ['/v1/access-rules', { name: 'x', never: { actions: ['read'], resources: { types: ['billing/invoice'] } } }],
    ];
    for (const [path, body] of rows) {
      const answer = await strange('POST', path, path, body);
      expect({ path, status: answer.status, code: answer.body.code }).toEqual({
        path,
        status: 422,
        code: 'invalid_records',
      });
    }
  });

  it('stands beside records of the same name in another tenant, and goes alone', async () => {
    const made: string[] = [];
    for (const [path, body] of [
      ['/v1/applications', { name: 'billing' }],
      ['/v1/subjects', { type: 'user', id: 'alice' }],
      ['/v1/subject-types', { name: 'user' }],
      ['/v1/context-attributes', { name: 'amount', type: 'any' }],
      ['/v1/groups', { name: 'finance' }],
      ['/v1/api-keys', { name: 'x', scopes: ['bundle'] }],
      ['/v1/oauth-clients', { name: 'x', scopes: ['bundle'] }],
    ] as const) {
      const answer = await strange('POST', path, path, body);
      expect({ path, status: answer.status }).toEqual({ path, status: 201 });
      made.push(answer.headers.get('location') ?? '');
    }
    for (const path of made) {
      expect((await cloud.ask('DELETE', path, { as: stranger })).status).toBe(204);
    }
    expect((await cloud.ask('GET', '/v1/subjects/user%2Falice', { as: owner })).status).toBe(200);
  });
});

describe('a change-set of a stranger', () => {
  it.each([
    { op: 'update', address: 'role/billing/accountant', fields: { application: 'billing', name: 'accountant' } },
    { op: 'delete', address: 'subject/user/alice' },
    { op: 'move', from: 'group/finance', to: 'group/mine' },
    { op: 'adopt', address: 'application/billing' },
  ])('finds nothing to $op', async (change) => {
    const body = { stack: 'mine', take_ownership: true, changes: [change] };
    const { status, body: problem } = await strange('POST', '/v1/changesets', '/v1/changesets', body);
    expect({ status, code: problem.code }).toEqual({ status: 409, code: 'conflict' });
  });

  it('shares no idempotency key with another tenant', async () => {
    const headers = { 'idempotency-key': 'same' };
    const body = { changes: [{ op: 'create', kind: 'role', fields: { name: 'shared' } }] };
    const first = await cloud.ask('POST', '/v1/changesets', { as: owner, body, headers });
    const second = await cloud.ask('POST', '/v1/changesets', { as: stranger, body, headers });
    expect(second.status).toBe(200);
    expect(second.body.created[0].id).not.toBe(first.body.created[0].id);
    await cloud.commit(stranger, [{ op: 'delete', address: 'role/shared' }]);
  });
});

describe('a stranger', () => {
  it('sees its own state, audit and self alone', async () => {
    const state = await strange('GET', '/v1/state', '/v1/state');
    expect(state.body.tenant).toBe('stranger');
    expect(state.body.records.map((record: { address: string }) => record.address)).toEqual([
      'oauth_client/administrator',
    ]);
    const audit = await strange('GET', '/v1/audit', '/v1/audit');
    expect(JSON.stringify(audit.body)).not.toContain('accountant');
    const broken = await strange('GET', '/v1/access-rule-violations', '/v1/access-rule-violations');
    expect(broken.body.violations).toEqual([]);
    const agents = await strange('GET', '/v1/agents', '/v1/agents');
    expect(agents.body).toMatchObject({ total: 0 });
    for (const [method, route, path] of [
      ['GET', '/v1/agents', '/v1/agents?tenant=owner'],
      ['DELETE', '/v1/agents', '/v1/agents?credential=any'],
      ['DELETE', '/v1/agents', '/v1/agents?credential=any&tenant=owner'],
      ['DELETE', '/v1/agents/{id}', '/v1/agents/any'],
      ['DELETE', '/v1/agents/{id}', '/v1/agents/any?tenant=owner'],
    ] as const)
      expect((await strange(method, route, path)).status).toBe(403);
    const claim = { holder: 'a', lease_seconds: 600 };
    await cloud.ask('PUT', '/v1/sync/git', { as: owner, body: claim });
    expect((await strange('GET', '/v1/sync', '/v1/sync')).body).toEqual({ stacks: [] });
    expect((await strange('DELETE', '/v1/sync/{stack}', '/v1/sync/git')).status).toBe(404);
    expect((await strange('PUT', '/v1/sync/{stack}', '/v1/sync/git', claim)).body).toMatchObject({ term: 1 });
    const self = await strange('GET', '/v1/whoami', '/v1/whoami');
    expect(self.body.tenant.name).toBe('stranger');
  });

  it('finds no records of another tenant, and no links of them', async () => {
    expect((await cloud.ask('GET', '/v1/search?q=accountant', { as: owner })).body.items).not.toEqual([]);
    expect((await strange('GET', '/v1/search', '/v1/search?q=accountant')).body.items).toEqual([]);
    const links = '/v1/links?address=role/billing/accountant';
    expect((await cloud.ask('GET', links, { as: owner })).status).toBe(200);
    expect((await strange('GET', '/v1/links', links)).status).toBe(404);
  });

  it('is told where its own records stand alone', async () => {
    const told = { repository: 'https://github.com/acme/access', places: { 'git.yaml': { 'role/from-git': 1 } } };
    const changes = [{ op: 'create', kind: 'role', fields: { name: 'from-git' } }];
    const made = { stack: 'git', origins: told, changes };
    expect((await cloud.ask('POST', '/v1/changesets', { as: owner, body: made })).status).toBe(200);
    const asked = { addresses: ['role/from-git'] };
    const own = await cloud.ask('POST', '/v1/record-origins', { as: owner, body: asked });
    expect(own.body.origins).toMatchObject([{ path: 'git.yaml' }]);
    const theirs = await strange('POST', '/v1/record-origins', '/v1/record-origins', asked);
    expect(theirs.body).toEqual({ origins: [] });
    await cloud.commit(owner, [{ op: 'delete', address: 'role/from-git' }]);
  });

  it('decides with its own records alone', async () => {
    const asked = { ...ALICE_READS, resource: { type: 'billing/invoice', id: targets.get('resource')?.id } };
    for (const body of [ALICE_READS, asked]) {
      const { status, body: answer } = await strange('POST', '/v1/authorize', '/v1/authorize', body);
      expect({ status, decision: answer.decision }).toEqual({ status: 200, decision: false });
      expect(answer.context.access_path).toBe('none');
    }
    expect((await cloud.ask('POST', '/v1/authorize', { as: owner, body: ALICE_READS })).body.decision).toBe(true);
  });

  it.each([
    ['evaluation', ALICE_READS, { decision: false }, { decision: true }],
    [
      'evaluations',
      { ...ALICE_READS, evaluations: [{}] },
      { evaluations: [expect.objectContaining({ decision: false })] },
      { evaluations: [expect.objectContaining({ decision: true })] },
    ],
    ['search/subject', ALICE_READS, { results: [] }, { results: [{ type: 'user', id: 'alice' }] }],
    ['search/resource', ALICE_READS, { results: [] }, { results: [{ type: 'invoice', id: 'INV-1' }] }],
    ['search/action', ALICE_READS, { results: [] }, { results: [{ name: 'approve' }, { name: 'read' }] }],
  ])('finds its own records alone at /access/v1/%s', async (name, asked, none, own) => {
    const path = `/access/v1/${name}`;
    expect((await strange('POST', path, path, asked)).body).toMatchObject(none);
    expect((await cloud.ask('POST', path, { as: owner, body: asked })).body).toMatchObject(own);
  });

  it('finds rows by its own records alone', async () => {
    expect((await strange('POST', '/v1/filter', '/v1/filter', ALICE_READS)).body).toEqual({ kind: 'none' });
    expect((await cloud.ask('POST', '/v1/filter', { as: owner, body: ALICE_READS })).body.kind).not.toBe('none');
  });

  it('cannot go on with a page token of another tenant', async () => {
    const body = { ...ALICE_READS, page: { limit: 1 } };
    const path = '/access/v1/search/action';
    const first = await cloud.ask('POST', path, { as: owner, body });
    const page = { token: first.body.page.next_token };
    expect((await strange('POST', path, path, { ...body, page })).body.code).toBe('invalid_cursor');
    expect((await cloud.ask('POST', path, { as: owner, body: { ...body, page } })).body.results).toHaveLength(1);
  });

  it('gets a bundle of its own tenant alone, whatever tenant it asks for', async () => {
    const own = await strange('GET', '/v1/policies/bundle', '/v1/policies/bundle');
    const { tenants } = JSON.parse((await unpackBundle(own.body, LIMITS)).json.toString());
    expect(tenants.map(({ name }: { name: string }) => name)).toEqual(['stranger']);
    const other = await strange('GET', '/v1/policies/bundle', '/v1/policies/bundle?tenant=owner');
    expect(other.status).toBe(404);
  });

  it('cannot go on with a cursor of another tenant', async () => {
    expect(cursor).toBeTruthy();
    const { status, body } = await strange('GET', '/v1/roles', `/v1/roles?limit=1&cursor=${cursor}`);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_cursor' });
  });

  it('reads, makes and removes no tenants, erases nobody, and turns no keys and credentials on', async () => {
    const rows: [string, string, string, unknown?][] = [
      ['POST', '/v1/bundle-keys', '/v1/bundle-keys', {}],
      ['GET', '/v1/audit/tenants', '/v1/audit/tenants'],
      ['GET', '/v1/tenants', '/v1/tenants'],
      ['POST', '/v1/tenants', '/v1/tenants', { name: 'third' }],
      ['GET', '/v1/tenants/{name}', '/v1/tenants/owner'],
      ['DELETE', '/v1/tenants/{name}', '/v1/tenants/owner'],
      ['POST', '/v1/tenants/{name}/erasures', '/v1/tenants/owner/erasures', { subject: 'user/alice' }],
      ['GET', '/v1/tenants/{name}/disabled-credentials', '/v1/tenants/owner/disabled-credentials'],
      ['POST', '/v1/tenants/{name}/enabled-credentials', '/v1/tenants/owner/enabled-credentials', {}],
      [
        'POST',
        '/v1/tenants/{name}/deleted-credentials',
        '/v1/tenants/owner/deleted-credentials',
        { credentials: ['oauth_client/administrator'] },
      ],
    ];
    for (const [method, route, path, body] of rows) {
      const answer = await strange(method, route, path, body);
      expect({ method, status: answer.status, code: answer.body.code }).toEqual({
        method,
        status: 403,
        code: 'forbidden',
      });
    }
  });
});

it('signs in to its own tenant alone, and reaches no session of another', async () => {
  const link = await strange('POST', '/v1/console-links', '/v1/console-links');
  const [theirs, mine] = [new Browser(cloud), await Browser.signIn(cloud, owner)];
  expect((await theirs.redeem(new URL(link.body.url).hash.slice(1))).body.tenant.name).toBe('stranger');
  const strangeInConsole = (method: string, route: string, path: string, body?: object) => {
    covered.add(`${method} ${route}`);
    return theirs.ask(method, path, body && { body });
  };
  const { id } = (await mine.ask('GET', '/console/api/session')).body;
  const own = await strangeInConsole('GET', '/console/api/session', '/console/api/session');
  const listed = await strangeInConsole('GET', '/console/api/sessions', '/console/api/sessions');
  expect(listed.body.items.map((session: { id: string }) => session.id)).toEqual([own.body.id]);
  const ended = await strangeInConsole('DELETE', '/console/api/sessions/{id}', `/console/api/sessions/${id}`);
  expect(ended.status).toBe(404);
  const { body: state } = await cloud.ask('GET', '/v1/state', { as: owner });
  const draft = { base_revision: state.revision, stack: 'api', changes: [] };
  expect((await strangeInConsole('POST', '/console/api/draft-plans', '/console/api/draft-plans', draft)).status).toBe(
    409,
  );
  const asked = { base_revision: state.revision, question: ALICE_READS };
  expect((await strangeInConsole('POST', '/console/api/why-not', '/console/api/why-not', asked)).status).toBe(409);
  const linted = `/console/api/lint?revision=${state.revision}`;
  expect((await strangeInConsole('GET', '/console/api/lint', linted)).status).toBe(409);
  // The settings are the installation's, and hold nothing of a tenant.
  const settings = await strangeInConsole('GET', '/console/api/sign-in-settings', '/console/api/sign-in-settings');
  expect(settings.body).toEqual({ links: 'loopback' });
  const pair = `/console/api/comparison?before=${state.revision}`;
  expect((await strangeInConsole('GET', '/console/api/comparison', pair)).status).toBe(404);
  const review = `/console/api/access-review?scope=application/billing&at=${state.revision}`;
  expect((await strangeInConsole('GET', '/console/api/access-review', review)).status).toBe(404);
  const signed = {
    scope: 'application/billing',
    revision: state.revision,
    as_of: new Date().toISOString(),
    decision: 'keep',
  };
  expect((await strangeInConsole('POST', '/console/api/sign-offs', '/console/api/sign-offs', signed)).status).toBe(404);
  const listedOff = await strangeInConsole('GET', '/console/api/sign-offs', '/console/api/sign-offs');
  expect(listedOff.body.items).toEqual([]);
  const changes = `/console/api/access-changes?scope=subject/user/alice&since=${state.revision}`;
  expect((await strangeInConsole('GET', '/console/api/access-changes', changes)).status).toBe(404);
  const summary = await strangeInConsole('GET', '/console/api/summary', '/console/api/summary');
  expect(summary.body).toMatchObject({ subjects: [], grants: [], reviews: [] });
  const worded = { conditions: ['context.mfa'] };
  const words = await strangeInConsole('POST', '/console/api/condition-words', '/console/api/condition-words', worded);
  expect(words.body).toEqual({ words: ['with a second factor'] });
  const since = '/console/api/sign-offs/nothing/changes';
  expect((await strangeInConsole('GET', '/console/api/sign-offs/{id}/changes', since)).status).toBe(404);
  expect((await strangeInConsole('DELETE', '/console/api/session', '/console/api/session')).status).toBe(204);
  expect((await mine.ask('GET', '/console/api/session')).status).toBe(200);
});

it('has people and groups of a directory that other directories do not see, in its tenant and elsewhere', async () => {
  const scim = async (as: string, method: string, path: string, body?: object) =>
    await cloud.ask(method, `/scim/v2/${path}`, { as, ...(body !== undefined && { body }) });
  await cloud.commit(owner, [{ op: 'create', kind: 'directory', fields: { name: 'entra' } }]);
  const mine = await cloud.key(owner, ['directory'], { directory: 'okta' });
  const user = (await scim(mine, 'POST', 'Users', { userName: 'zoe' })).body;
  const group = (await scim(mine, 'POST', 'Groups', { displayName: 'sea', members: [{ value: user.id }] })).body;
  await strange('POST', '/v1/directories', '/v1/directories', { name: 'okta' });
  for (const [method, path, body] of [
    ['GET', 'status', undefined],
    ['POST', 'held-changes', { decision: 'release' }],
    ['POST', 'adopted-records', { addresses: ['group/finance'] }],
    ['POST', 'plans', { operations: [{ method: 'POST', path: '/Users', data: { userName: 'eve' } }] }],
  ] as const) {
    const route = `/v1/directories/{id}/${path}`;
    expect((await strange(method, route, `/v1/directories/entra/${path}`, body)).status, path).toBe(404);
  }
  const others = [
    await cloud.key(owner, ['directory'], { directory: 'entra' }),
    await cloud.key(stranger, ['directory'], { directory: 'okta' }),
  ];
  for (const other of others) {
    for (const [collection, { id }] of [['Users', user] as const, ['Groups', group] as const]) {
      for (const [method, body] of [
        ['GET', undefined],
        ['PUT', { userName: 'zoe', displayName: 'sea' }],
        ['PATCH', { Operations: [{ op: 'replace', value: { displayName: 'x' } }] }],
        ['DELETE', undefined],
      ] as const) {
        covered.add(`${method} /scim/v2/${collection}/{id}`);
        expect((await scim(other, method, `${collection}/${id}`, body)).status, `${method} ${collection}`).toBe(404);
      }
      covered.add(`GET /scim/v2/${collection}`).add(`POST /scim/v2/${collection}`);
      expect((await scim(other, 'GET', collection)).body.totalResults).toBe(0);
    }
    const stolen = { displayName: 'mine', members: [{ value: user.id }] };
    expect((await scim(other, 'POST', 'Groups', stolen)).status).toBe(400);
    for (const path of ['ServiceProviderConfig', 'ResourceTypes', 'Schemas', 'ResourceTypes/User', 'Schemas/none']) {
      covered.add(`GET /scim/v2/${path.replace(/\/.*/, '/{id}')}`);
      expect(JSON.stringify((await scim(other, 'GET', path)).body)).not.toContain('okta');
    }
  }
  // The names that one has taken in the tenant are taken for the other.
  expect((await scim(others[0] ?? '', 'POST', 'Users', { userName: 'zoe' })).status).toBe(409);
  expect((await scim(others[1] ?? '', 'POST', 'Users', { userName: 'zoe' })).status).toBe(201);
  expect((await scim(mine, 'GET', `Groups/${group.id}`)).body.members).toMatchObject([{ value: user.id }]);
});

it('every route that takes a credential has been tried', async () => {
  const { body } = await cloud.ask('GET', '/openapi.json');
  const all = Object.entries(body.paths as Record<string, Record<string, { security: object[] }>>).flatMap(
    ([path, own]) =>
      Object.entries(own).flatMap(([method, { security }]) =>
        security.length > 0 ? [`${method.toUpperCase()} ${path}`] : [],
      ),
  );
  expect([...covered].sort()).toEqual(all.sort());
});
