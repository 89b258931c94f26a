import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { create, link, TwoTeams } from '../../testing/two-teams.js';

let teams: TwoTeams;
beforeAll(async () => {
  teams = await TwoTeams.start();
});
afterAll(() => teams.close());

describe('single records', () => {
  const as = () => teams.writers.billing;
  it('are written for the stack that the query names', async () => {
    const body = { application: 'billing', name: 'single' };
    expect((await teams.cloud.ask('POST', '/v1/roles', { as: as(), body })).body.code).toBe('outside_limits');
    const made = await teams.cloud.ask('POST', '/v1/roles?stack=billing', { as: as(), body });
    expect([made.status, made.body.managed_by]).toEqual([201, 'billing']);
    const patch = { description: 'x' };
    const changed = await teams.cloud.ask('PATCH', '/v1/roles/billing%2Fsingle?stack=billing', {
      as: as(),
      body: patch,
    });
    expect(changed.status).toBe(200);
    const other = await teams.cloud.ask('PATCH', '/v1/roles/shipping%2Fclerk?stack=billing', { as: as(), body: patch });
    expect([other.status, other.body.code]).toEqual([409, 'not_owner']);
    expect((await teams.cloud.ask('DELETE', '/v1/roles/billing%2Fsingle?stack=billing', { as: as() })).status).toBe(
      204,
    );
  });
});

describe('where limits come from', () => {
  it('is the stored record, at each request: not the token', async () => {
    const { cloud, admin } = teams;
    const { body: client } = await cloud.ask('POST', '/v1/oauth-clients', {
      as: admin,
      body: { name: 'narrowed', scopes: ['records:write'] },
    });
    const token = await cloud.token({ id: client.client_id, secret: client.client_secret });
    const write = (name: string) =>
      cloud.ask('POST', '/v1/changesets', { as: token, body: { stack: 'x', changes: [create('role', { name })] } });
    const whoami = async () => (await cloud.ask('GET', '/v1/whoami', { as: token })).body.limits;
    expect([(await write('one')).status, await whoami()]).toEqual([200, undefined]);
    const limit = (limits: object | null) =>
      cloud.ask('PATCH', '/v1/oauth-clients/narrowed', { as: admin, body: { limits } });
    await limit({ stacks: ['x'], applications: ['billing'] });
    expect([(await write('two')).body.code, await whoami()]).toEqual([
      'outside_limits',
      { stacks: ['x'], applications: ['billing'] },
    ]);
    await limit(null);
    expect([(await write('three')).status, await whoami()]).toEqual([200, undefined]);
  });

  it('follows a renamed application, which a writer of records alone may rename', async () => {
    const { cloud, admin } = teams;
    await cloud.commit(admin, [create('application', { name: 'old' })]);
    const key = await cloud.key(admin, ['records:write'], { limits: { applications: ['old'] } });
    const writer = await cloud.key(admin, ['records:write']);
    const body = { changes: [{ op: 'move', from: 'application/old', to: 'application/new' }] };
    expect((await cloud.ask('POST', '/v1/changesets', { as: writer, body })).status).toBe(200);
    expect((await cloud.ask('GET', '/v1/whoami', { as: key })).body.limits).toEqual({ applications: ['new'] });
    const gone = await cloud.ask('DELETE', '/v1/applications/new', { as: admin });
    expect([gone.status, gone.body.detail]).toEqual([409, expect.stringMatching(/is still used by 1 API key/)]);
  });
});

describe('limits that limit nothing or name nothing', () => {
  it.each([
    [{}, /limits nothing/],
    [{ stacks: [] }, /\/limits\/stacks/],
    [{ applications: ['nowhere'] }, /Application "nowhere" does not exist/],
    [{ aplications: ['billing'] }, /did you mean "applications"/],
  ])('%j are refused', async (limits, detail) => {
    const body = { name: 'new', scopes: ['records:write'], limits };
    const answer = await teams.cloud.ask('POST', '/v1/api-keys', { as: teams.admin, body });
    expect([answer.status, answer.body.code]).toEqual([422, 'invalid_records']);
    expect(answer.body.detail).toMatch(detail);
  });
});

describe('a credential limited to applications alone', () => {
  it('owns no group, and adds nobody to one unless it is shared', async () => {
    const as = await teams.cloud.key(teams.admin, ['records:write'], { limits: { applications: ['billing'] } });
    const join = (group: string) => teams.ask([link('group_membership', group, 'subject/user/mallory')], {}, as);
    expect((await join('billing-team')).body.detail).toMatch(/is limited to the application "billing" and to no stack/);
    expect((await join('on-call')).status).toBe(200);
  });
});

describe('a limited operator', () => {
  it('makes no tenant, removes none, rotates no key, and retires no agent', async () => {
    const { cloud, admin } = teams;
    const scopes = ['records:write', 'credentials'];
    const key = await cloud.ask('POST', '/v1/api-keys', { as: admin, body: { name: 'op', scopes, operator: true } });
    await cloud.ask('PATCH', '/v1/api-keys/op', { as: admin, body: { limits: { stacks: ['billing'] } } });
    const as = key.body.secret;
    for (const [method, path, body] of [
      ['POST', '/v1/tenants', { name: 'new' }],
      ['DELETE', '/v1/tenants/new', undefined],
      ['POST', '/v1/bundle-keys', {}],
      ['DELETE', '/v1/agents/any', undefined],
      ['POST', '/v1/api-keys?stack=billing', { name: 'op2', scopes, operator: true, limits: { stacks: ['billing'] } }],
    ] as const) {
      const answer = await cloud.ask(method, path, { as, ...(body && { body }) });
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'outside_limits']);
    }
  });
});
