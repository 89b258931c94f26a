import { unpackBundle } from '@authz-service/core/bundle/read';
import type { ProblemError } from '@authz-service/core/problem';
import { KINDS } from '@authz-service/core/records/kinds';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { operatorOf } from '../conformance/over-http.js';

let cloud: TestCloud;
let admin: ServiceClient;
beforeAll(async () => {
  cloud = await TestCloud.start();
  admin = operatorOf(cloud);
});
afterAll(() => cloud.close());

const refused = (work: Promise<unknown>): Promise<ProblemError> =>
  work.then(
    () => expect.fail('it was not refused'),
    (error) => error,
  );

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** A tenant of its own, and its administrator. */
async function tenant(name: string): Promise<ServiceClient> {
  const made = await admin.tenants.create({ name });
  return new ServiceClient({
    url: cloud.url,
    credentials: { clientId: made.client_id, clientSecret: made.client_secret },
  });
}

describe('records of every kind', () => {
  it('are made, read, listed, changed and removed through their own types', async () => {
    const client = await tenant('every-kind');
    const application = await client.records('application').create({ name: 'shop' });
    const type = await client
      .records('resource_type')
      .create({ application_id: application.id, name: 'order', actions: ['read'] });
    const resource = await client.records('resource').create({ application: 'shop', type: 'order', name: 'O/1' });
    await client.records('subject_type').create({ name: 'user', properties: { level: 'number' } });
    await client.records('context_attribute').create({ name: 'mfa', type: 'boolean' });
    await client.records('directory').create({ name: 'okta' });
    const subject = await client
      .records('subject')
      .create({ type: 'user', id: 'zoë@example.org', properties: { level: 3 } });
    const role = await client.records('role').create({ application: 'shop', name: 'clerk' });
    const group = await client.records('group').create({ name: 'staff' });
    const policy = await client.records('policy').create({
      name: 'read',
      effect: 'ALLOW',
      resources: [{ resource: 'shop/order/O%2F1', actions: ['read'] }],
      condition: 'subject.properties.level > 2',
    });
    await client.records('policy_assignment').create({ policy_id: policy.id, entity_type: 'role', entity_id: role.id });
    await client.records('role_assignment').create({ role: 'shop/clerk', entity_type: 'group', entity: 'staff' });
    await client
      .records('group_membership')
      .create({ group: 'staff', entity_type: 'subject', entity: 'user/zoë@example.org' });
    await client.records('access_rule').create({
      name: 'no-shipping',
      never: { subjects: { groups: ['staff'] }, actions: ['read'], resources: { named: ['shop/order/O%2F1'] } },
      mode: 'warn',
    });
    const key = await client.records('api_key').create({ name: 'caller', scopes: ['decisions'] });
    const machine = await client.records('oauth_client').create({ name: 'ci', scopes: ['records:read'] });

    expect(type).toMatchObject({
      application: 'shop',
      application_id: application.id,
      address: 'resource_type/shop/order',
    });
    expect(resource).toMatchObject({ type: 'shop/order', type_id: type.id, application: 'shop' });
    expect(subject).toMatchObject({ id: 'zoë@example.org', properties: { level: 3 } });
    expect(policy.priority).toBe(0);
    expect(key.secret).toMatch(/^svc_/);
    for (const kind of KINDS) {
      const [record] = await all(client.records(kind).list());
      expect(record?.kind, kind).toBe(kind);
    }
    expect(await client.records('resource').get('shop/order/O%2F1')).toEqual(
      await client.records('resource').get(resource.id),
    );
    expect(await client.records('subject').get('user/zoë@example.org')).toMatchObject({
      address: 'subject/user/zoë@example.org',
    });

    const changed = await client
      .records('group')
      .update(group.id, { description: 'All of us' }, { ifMatch: group.revision });
    expect(changed).toMatchObject({ description: 'All of us' });
    expect(changed.revision).toBeGreaterThan(group.revision);
    expect(
      await refused(client.records('group').update(group.id, { description: null }, { ifMatch: group.revision })),
    ).toMatchObject({ code: 'precondition_failed' });
    expect(await client.records('group').update('staff', { description: null })).not.toHaveProperty('description');
    expect(await refused(client.records('group').delete('staff'))).toMatchObject({
      code: 'conflict',
      requestId: expect.any(String),
    });
    await client.records('oauth_client').delete(machine.id);
    expect(await refused(client.records('oauth_client').get(machine.id))).toMatchObject({ code: 'not_found' });

    const caller = new ServiceClient({ url: `${cloud.url}/`, credentials: { apiKey: key.secret } });
    expect(await caller.whoami()).toMatchObject({
      tenant: { name: 'every-kind' },
      credential: { kind: 'api_key', name: 'caller' },
      scopes: ['decisions'],
    });
    const question = {
      subject: { type: 'user', id: 'zoë@example.org' },
      action: { name: 'read' },
      resource: { type: 'order', id: resource.id },
    };
    expect(await caller.decide(question, { requestId: 'from-the-sdk' })).toMatchObject({
      allowed: true,
      policyId: policy.id,
      accessPath: 'group',
    });
    const outcomes = await caller.decideAll({
      ...question,
      evaluations: [{}, { action: { name: 'delete' } }, { resource: { type: '', id: 'x' } }],
      options: { reasons: true },
    });
    expect(outcomes).toMatchObject([
      { ok: true, decision: { allowed: true } },
      { ok: true, decision: { allowed: false, accessPath: 'none' } },
      { ok: false, error: { code: 'invalid_request' } },
    ]);
    expect(await caller.decide({ ...question, options: { explain: true } })).toMatchObject({
      explanation: { candidates: [{ policy: 'policy/read', outcome: 'applies' }] },
    });
    expect(await refused(caller.state())).toMatchObject({ code: 'forbidden' });
  });

  it('are listed over many pages, and by filter', async () => {
    const client = await tenant('pages');
    const names = Array.from({ length: 25 }, (_, n) => `g${String(n).padStart(2, '0')}`);
    await client.changeset({ changes: names.map((name) => ({ op: 'create', kind: 'group', fields: { name } })) });
    const listed = await all(client.records('group').list({}, { limit: 4 }));
    expect(listed.map((group) => group.name).sort()).toEqual(names);
    const page = await client.records('group').page({}, { limit: 4 });
    expect(page.items).toHaveLength(4);
    expect(page.next_cursor).toEqual(expect.any(String));
    expect((await all(client.records('group').list({ name: 'g07' }))).map((group) => group.name)).toEqual(['g07']);
  });
});

describe('change-sets', () => {
  it('are made once under one key, refused on a moved base, and seen in state and audit', async () => {
    const client = await tenant('changes');
    const before = await client.state();
    expect(before.tenant).toBe('changes');
    const create = {
      base_revision: before.revision,
      stack: 'git',
      changes: [{ op: 'create' as const, kind: 'role' as const, fields: { name: 'auditor' } }],
    };
    const first = await client.changeset(create, { idempotencyKey: 'once' });
    expect(await client.changeset(create, { idempotencyKey: 'once' })).toEqual(first);
    expect(first).toMatchObject({ added: 1, created: [{ address: 'role/auditor' }] });
    expect(await refused(client.changeset(create))).toMatchObject({ code: 'stale_base' });
    expect(await refused(client.changeset({ changes: [{ op: 'delete', address: 'role/nobody' }] }))).toMatchObject({
      code: 'conflict',
      errors: [{ pointer: '/changes/0', address: 'role/nobody' }],
    });

    const after = await client.state({ ifNoneMatch: before.revision });
    expect(after).toMatchObject({ revision: first.revision });
    expect(after?.records.find((record) => record.address === 'role/auditor')).toMatchObject({ managed_by: 'git' });
    expect(await client.state({ ifNoneMatch: first.revision })).toBeUndefined();
    const [latest, ...earlier] = await all(client.audit({ limit: 1 }));
    expect(latest).toMatchObject({
      revision: first.revision,
      stack: 'git',
      counts: { added: 1 },
      changes: [{ op: 'create', address: 'role/auditor' }],
    });
    expect(earlier.length).toBeGreaterThan(0);
  });
});

describe('the rest', () => {
  it('the bundle comes as it is packed, and not again while it stays', async () => {
    const client = await tenant('bundle');
    const { secret } = await client.records('api_key').create({ name: 'agent', scopes: ['bundle'] });
    const agent = new ServiceClient({ url: cloud.url, credentials: { apiKey: secret } });
    const bundle = await agent.bundle();
    if (bundle === undefined) expect.fail('there was no bundle');
    const unpacked = (await unpackBundle(Buffer.from(bundle.bytes), { compressed: 1 << 20, unpacked: 1 << 20 })).json;
    expect(JSON.parse(unpacked.toString())).toMatchObject({ tenants: [{ name: 'bundle' }] });
    expect(await agent.bundle({ ifNoneMatch: bundle.etag })).toBeUndefined();
  });

  it('tenants are made, listed, read and removed by an operator alone', async () => {
    const client = await tenant('short-lived');
    expect(await refused(client.tenants.create({ name: 'mine' }))).toMatchObject({ code: 'forbidden' });
    expect(await admin.tenants.get('short-lived')).toMatchObject({ name: 'short-lived' });
    expect((await all(admin.tenants.list({ limit: 1 }))).map(({ name }) => name)).toContain('short-lived');
    await admin.tenants.delete('short-lived');
    expect(await refused(admin.tenants.get('short-lived'))).toMatchObject({ code: 'not_found' });
    expect(['unauthorized', 'invalid_client']).toContain((await refused(client.whoami())).code);
  });

  it('wrong client credentials are named as such, without the secret', async () => {
    const wrong = new ServiceClient({
      url: cloud.url,
      credentials: { clientId: 'admin', clientSecret: 'not-the-secret' },
    });
    const error = await refused(wrong.whoami());
    expect(error).toMatchObject({ code: 'invalid_client' });
    expect(error.detail).not.toContain('not-the-secret');
  });

  it('a wrong API key is unauthorized', async () => {
    const wrong = new ServiceClient({ url: cloud.url, credentials: { apiKey: 'svc_wrong' } });
    expect(await refused(wrong.whoami())).toMatchObject({ code: 'unauthorized' });
  });
});
