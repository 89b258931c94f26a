import { reportText } from '@authz-service/pdp/contract/agent-report';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { billing, TestCloud } from '../../testing/test-cloud.js';
import { disableCredentials } from '../backup/disable-credentials.js';

const BEGIN = Date.parse('2026-06-01T08:00:00Z');

let cloud: TestCloud;
let admin: string;
let agent: string;
let now: number;

beforeEach(async () => {
  now = BEGIN;
  cloud = await TestCloud.start({ now: () => now });
  admin = await cloud.token();
  await cloud.commit(admin, billing());
  agent = await cloud.key(admin, ['bundle']);
});
afterEach(() => cloud.close());

const list = async (query = '', as = admin) => (await cloud.ask('GET', `/v1/agents${query}`, { as })).body;
const poll = async (header: string, as = agent, query = '') =>
  await cloud.ask('GET', `/v1/policies/bundle${query}`, { as, headers: { 'service-agent': header } });
const commit = async (name: string): Promise<string> =>
  (await cloud.commit(admin, [{ op: 'create', kind: 'group', fields: { name } }])).revision;
const metric = async (line: string) =>
  String((await cloud.ask('GET', '/metrics')).body)
    .split('\n')
    .includes(line);
/** Counts reports of agents once they are written. */
const measured = async (count: number) =>
  await vi.waitFor(async () => expect(await metric(`service_cloud_enforced_seconds_count ${count}`)).toBe(true));
const retire = async (id: string, as = admin, query = '') =>
  await cloud.ask('DELETE', `/v1/agents/${id}${query}`, { as });

describe('a publisher', () => {
  it('is listed with what it has published, and keeps everything from counting as enforced until it is retired', async () => {
    const revision = await commit('one');
    const number = String(Number.parseInt(revision, 10));
    await poll(reportText({ id: 'a', revision }));
    expect(await list()).toMatchObject({ enforced: true, publishers: 0 });
    await poll(reportText({ id: 'publisher:default', revision }));
    expect(await list(`?enforces=${number}&wait=9`)).toMatchObject({
      ...{ enforced: false, complete: true, total: 2, enforcing: 2, publishers: 1 },
      agents: expect.arrayContaining([expect.objectContaining({ id: 'publisher:default', publishes: true, lag: 0 })]),
    });
    const later = await commit('two');
    await poll(reportText({ id: 'publisher:default', revision: later }));
    expect(await metric('service_cloud_enforced_seconds_count 0')).toBe(true);
    await poll(reportText({ id: 'a', revision: later }));
    await measured(1);
    await retire('publisher:default');
    expect(await list()).toMatchObject({ enforced: true, publishers: 0 });
  });
});

describe('what agents report', () => {
  it('is listed, those that lag first, with how far', async () => {
    expect(await list()).toMatchObject({ total: 0, enforcing: 0, complete: true, agents: [], more: false });
    const old = await commit('one');
    const revision = await commit('two');
    await poll(reportText({ id: 'b', name: 'host-b', version: '1.0.0', revision, age: 1, max_age: 60 }));
    await poll(reportText({ id: 'a', revision: old, error: 'network' }));
    await poll(reportText({ id: 'c' }));
    const listed = await list();
    const { credential, ...rest } = listed.agents[2];
    expect(rest).toEqual({
      id: 'b',
      name: 'host-b',
      version: '1.0.0',
      revision,
      lag: 0,
      publishes: false,
      enforces: true,
      expired: false,
      diverged: false,
      age_seconds: 1,
      max_age_seconds: 60,
      error: null,
      last_seen: '2026-06-01T08:00:00.000Z',
    });
    expect(credential.name).toMatch(/^key-/);
    expect(listed).toMatchObject({ revision, total: 3, enforcing: 1, expired: 0, enforced: false });
    expect(listed.agents.map(({ id, lag }: { id: string; lag: number | null }) => [id, lag])).toEqual([
      ['c', null],
      ['a', 1],
      ['b', 0],
    ]);
    expect(await metric('service_cloud_agents{lag="0"} 1')).toBe(true);
    expect(await metric('service_cloud_agents{lag="1"} 1')).toBe(true);
    expect(await metric('service_cloud_agents{lag="unknown"} 1')).toBe(true);
    expect(await metric('service_cloud_agent_stragglers 0')).toBe(true);
    now += 61_000;
    expect(await metric('service_cloud_agent_stragglers 2')).toBe(true);
  });

  it('is listed with the epoch that the agent knows, which makes it no other revision', async () => {
    const revision = `${await commit('one')}.1800000000-0a1b2c3d`;
    await poll(reportText({ id: 'a', revision }));
    expect((await list()).agents).toMatchObject([{ revision, lag: 0, enforces: true, diverged: false }]);
  });

  it('is remembered when the cloud starts again', async () => {
    const revision = await commit('one');
    await poll(reportText({ id: 'a', revision }));
    await poll(reportText({ id: 'b', revision: await commit('two') }));
    await cloud.restart();
    const { agents, total, complete } = await list();
    expect({ total, complete }).toEqual({ total: 2, complete: true });
    expect(agents.map(({ id, lag }: { id: string; lag: number }) => [id, lag])).toEqual([
      ['a', 1],
      ['b', 0],
    ]);
  });

  it('counts as a straggler though the tenant changes often, until it is silent beyond its maximum age', async () => {
    const old = await commit('one');
    await poll(reportText({ id: 'a', revision: old }));
    await poll(reportText({ id: 'b', revision: old, max_age: 60 }));
    for (const name of ['two', 'three', 'four']) {
      await commit(name);
      expect(await metric('service_cloud_agent_stragglers 0')).toBe(true);
      now += 25_000;
    }
    expect(await metric('service_cloud_agent_stragglers 2')).toBe(true);
    now += 120_000;
    expect(await metric('service_cloud_agent_stragglers 1')).toBe(true);
  });

  it('measures the time from a commit until an agent serves it', async () => {
    await poll(reportText({ id: 'a', revision: await commit('one') }));
    expect(await metric('service_cloud_enforced_seconds_count 0')).toBe(true);
    const revision = await commit('two');
    now += 400;
    await poll(reportText({ id: 'a', revision }));
    await measured(1);
    expect(await metric('service_cloud_enforced_seconds_bucket{le="0.25"} 0')).toBe(true);
    expect(await metric('service_cloud_enforced_seconds_bucket{le="0.5"} 1')).toBe(true);
  });

  it('never counts as enforced at a revision that the tenant never had', async () => {
    const revision = await commit('one');
    const [number] = revision.split('.');
    for (const [id, claimed] of [
      ['next', '999.0000000000000000'],
      ['other', `${number}.0000000000000000`],
      ['text', 'x'],
    ]) {
      await poll(reportText({ id: String(id), revision: String(claimed) }));
    }
    const { agents, enforcing, total } = await list();
    expect({ enforcing, total }).toEqual({ enforcing: 0, total: 3 });
    for (const one of agents) expect(one).toMatchObject({ lag: null, diverged: true, enforces: false });
  });

  it('is not said to be of another past where it is older than what is kept', async () => {
    await cloud.close();
    const kept = { SERVICE_HISTORY_DAYS: '1', SERVICE_AUDIT_DAYS: '1' };
    cloud = await TestCloud.start({ now: () => now }, kept);
    admin = await cloud.token();
    const old = await commit('one');
    await commit('two');
    now += 3 * 86_400_000;
    admin = await cloud.token();
    for (let more = 0; more < 3; more++) await commit(`more-${more}`);
    now += 3 * 86_400_000;
    await cloud.restart();
    admin = await cloud.token();
    agent = await cloud.key(admin, ['bundle']);
    const said = async (revision: string) => {
      const headers = { 'service-agent': reportText({ id: 'a', revision }), 'if-none-match': `"${revision}"` };
      const { headers: answered } = await cloud.ask('GET', '/v1/policies/bundle', { as: agent, headers });
      return [answered.get('bundle-diverged'), (await list()).agents[0].diverged];
    };
    expect(await said(old)).toEqual([null, false]);
    const lost = '999.0000000000000000';
    expect(await said(lost)).toEqual([`"${lost}"`, true]);
  });

  it.each(['', 'id=', 'id=a%0Ab', `id=${'x'.repeat(65)}`, 'id=a&age=-1', 'name=a', `id=a&name=${'x'.repeat(3000)}`])(
    'is ignored where it is malformed, as "%s", and the bundle comes all the same',
    async (header) => {
      expect((await poll(header)).status).toBe(200);
      expect((await list()).total).toBe(0);
    },
  );

  it('is one entry for each tenant, and for its tenant alone', async () => {
    const other = await cloud.tenant('other');
    await poll(reportText({ id: 'a' }));
    await poll(reportText({ id: 'a' }));
    await poll(reportText({ id: 'a' }), await cloud.key(other, ['bundle']));
    expect((await list()).total).toBe(1);
    expect(await list('', other)).toMatchObject({ total: 1 });
    expect((await cloud.ask('GET', '/v1/agents', { as: agent })).status).toBe(403);
    expect((await cloud.ask('GET', '/v1/agents?tenant=default', { as: other })).status).toBe(403);
  });

  it('belongs to the credential that used its id first: another one is refused, and audited once', async () => {
    const revision = await commit('one');
    await poll(reportText({ id: 'a', revision }));
    const before = await list();
    const other = await cloud.key(admin, ['bundle']);
    for (let times = 0; times < 2; times++) {
      const refused = await poll(reportText({ id: 'a' }), other);
      expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 409, code: 'conflict' });
      expect(refused.body.detail).toMatch(/^The agent id "a" belongs to .* "servicectl agents retire a"\.$/);
    }
    expect((await list()).agents).toMatchObject([{ id: 'a', credential: before.agents[0].credential, revision }]);
    // A publisher's id is chosen by hand.
    for (const key of [agent, other]) expect((await poll(reportText({ id: 'publisher:x' }), key)).status).toBe(200);
    const events = (await cloud.ask('GET', '/v1/audit/tenants', { as: admin })).body.items;
    const refusals = events.filter(({ op }: { op: string }) => op === 'refuse');
    expect(refusals).toMatchObject([{ agent: 'a', tenant: { name: 'default' }, credential: { kind: 'api_key' } }]);
    await cloud.restart();
    admin = await cloud.token();
    expect((await poll(reportText({ id: 'a' }), other)).status).toBe(409);
    expect((await poll(reportText({ id: 'a', revision }))).status).toBe(200);
  });

  it('keeps its credential over a rotation of the secret, and takes another one once it is retired', async () => {
    await poll(reportText({ id: 'a' }));
    const { name } = (await list()).agents[0].credential;
    const rotated = await cloud.ask('POST', `/v1/api-keys/${name}/secret`, {
      as: admin,
      body: { overlap_seconds: 3600 },
    });
    expect(rotated.status).toBe(201);
    for (const key of [rotated.body.secret, agent]) expect((await poll(reportText({ id: 'a' }), key)).status).toBe(200);
    const other = await cloud.key(admin, ['bundle']);
    expect((await poll(reportText({ id: 'a' }), other)).status).toBe(409);
    await cloud.ask('DELETE', '/v1/agents/a', { as: admin });
    expect((await poll(reportText({ id: 'a' }), other)).status).toBe(200);
    expect((await poll(reportText({ id: 'a' }), agent)).status).toBe(409);
  });

  it('is forgotten where its credential is gone and its agent reports by another one, of the same tenant', async () => {
    const old = await commit('one');
    const other = await cloud.tenant('other');
    const revision = await commit('two');
    const wanted = `?enforces=${revision}`;
    for (const id of ['a', 'b']) await poll(reportText({ id, revision: old }));
    const { credential } = (await list()).agents[0];
    const renewed = await cloud.key(admin, ['bundle']);
    await cloud.commit(admin, [{ op: 'delete', address: `api_key/${credential.name}` }]);
    await poll(reportText({ id: 'b' }), await cloud.key(other, ['bundle']));
    expect((await list()).total).toBe(2);
    await poll(reportText({ id: 'a', revision }), renewed);
    const { agents, enforcing } = await list(wanted);
    expect({ enforcing, ids: agents.map(({ id }: { id: string }) => id) }).toEqual({ enforcing: 1, ids: ['b', 'a'] });
  });

  it('counts after a restore as if every agent had been heard until then, and as if others had come', async () => {
    const revision = await commit('one');
    await poll(reportText({ id: 'a', revision, max_age: 600 }));
    await poll(reportText({ id: 'b', revision, max_age: 60 }));
    await commit('two');
    now += 900_000;
    expect(await list()).toMatchObject({ enforced: true, complete: true, expired: 2 });
    await cloud.stop();
    for (let times = 0; times < 2; times++) await disableCredentials({ dataDir: cloud.dir }, { now });
    await cloud.restart();
    admin = await cloud.token();
    expect(await list()).toMatchObject({ enforced: false, complete: false, expired: 0, total: 2 });
    now += 179_000;
    expect(await list()).toMatchObject({ expired: 0 });
    now += 2000;
    expect(await list()).toMatchObject({ enforced: false, expired: 1 });
    now += 540_000;
    expect(await list()).toMatchObject({ enforced: true, complete: true, expired: 2 });
  });

  it('leaves nothing enforced for a while where another credential used its id: machines of one image', async () => {
    const old = await commit('one');
    const second = await cloud.key(admin, ['bundle']);
    const revision = await commit('two');
    await poll(reportText({ id: 'a', revision: old }));
    const [{ credential }] = (await list()).agents;
    expect((await poll(reportText({ id: 'a', revision }), second)).status).toBe(409);
    await cloud.commit(admin, [{ op: 'delete', address: `api_key/${credential.name}` }]);
    expect((await poll(reportText({ id: 'a', revision }), second)).status).toBe(200);
    expect(await list(`?enforces=${revision}`)).toMatchObject({ enforced: false, complete: false, enforcing: 1 });
  });

  it("hides an operator's machine and key from the tenant that they fetch", async () => {
    const other = await cloud.tenant('other');
    const operators = await cloud.key(admin, ['bundle'], { operator: true });
    await poll(reportText({ id: 'a', name: 'secret-host' }), operators, '?tenant=other');
    expect((await list('', other)).agents).toMatchObject([{ id: 'a', name: null, credential: null }]);
    const seen = (await list('?tenant=other')).agents;
    expect(seen).toMatchObject([{ name: 'secret-host' }]);
    expect(seen[0].credential.name).toMatch(/^key-/);
  });
});

describe('a revision', () => {
  it('is enforced once every agent serves it or a later one, or has been silent beyond its maximum age', async () => {
    const old = await commit('one');
    await poll(reportText({ id: 'a', revision: old }));
    await poll(reportText({ id: 'silent', revision: old, max_age: 60 }));
    const wanted = await commit('two');
    expect(await list(`?enforces=${old}`)).toMatchObject({ enforced: true, enforcing: 2 });
    expect(await list(`?enforces=${wanted}`)).toMatchObject({
      enforced: false,
      enforcing: 0,
      wanted: Number.parseInt(wanted, 10),
    });
    await poll(reportText({ id: 'a', revision: await commit('three') }));
    expect(await list(`?enforces=${wanted}`)).toMatchObject({ enforced: false, enforcing: 1, expired: 0 });
    now += 60_000 + 119_000;
    expect(await list(`?enforces=${wanted}`)).toMatchObject({ enforced: false, enforcing: 1, expired: 0 });
    now += 2000;
    expect(await list(`?enforces=${wanted}`)).toMatchObject({ enforced: true, enforcing: 1, expired: 1 });
    await poll(reportText({ id: 'silent', revision: old, max_age: 60 }));
    expect(await list(`?enforces=${wanted}`)).toMatchObject({ enforced: false, expired: 0 });
  });

  it('is not enforced by an agent that may decide for longer than it said at first', async () => {
    const old = await commit('one');
    await poll(reportText({ id: 'a', revision: old, max_age: 60 }));
    await poll(reportText({ id: 'a', revision: old }));
    await commit('two');
    now += 10 * 86_400_000;
    expect(await list('', await cloud.token())).toMatchObject({ enforced: false, expired: 0 });
  });

  it('that the tenant never had is refused', async () => {
    const [number] = (await commit('one')).split('.');
    await commit('two');
    for (const revision of ['999', `${number}.0000000000000000`]) {
      const { status, body } = await cloud.ask('GET', `/v1/agents?enforces=${revision}`, { as: admin });
      expect({ status, code: body.code }).toEqual({ status: 412, code: 'unknown_revision' });
    }
    const { status } = await cloud.ask('GET', '/v1/agents?enforces=x', { as: admin });
    expect(status).toBe(400);
  });

  it('is waited for, by a bounded number of callers, whose places are free once they have gone', async () => {
    const old = await commit('one');
    await poll(reportText({ id: 'a', revision: old }));
    const wanted = await commit('two');
    const ends = new AbortController();
    const path = `${cloud.url}/v1/agents?enforces=${wanted}&wait=50`;
    const gone = Array.from({ length: 20 }, () =>
      fetch(path, { headers: { authorization: `Bearer ${admin}` }, signal: ends.signal }).catch(() => undefined),
    );
    const short = () => cloud.ask('GET', `/v1/agents?enforces=${wanted}&wait=0`, { as: admin });
    await vi.waitFor(async () => expect((await short()).status).toBe(429), { timeout: 10_000 });
    expect((await short()).body.detail).toMatch(/^20 requests of this tenant already wait here/);
    ends.abort();
    await Promise.all(gone);
    await vi.waitFor(async () => expect((await short()).status).toBe(200), { timeout: 10_000 });

    const waiting = cloud.ask('GET', `/v1/agents?enforces=${wanted}&wait=50`, { as: admin });
    await poll(reportText({ id: 'a', revision: wanted }));
    expect((await waiting).body).toMatchObject({ enforced: true });
  });
});

describe('an agent', () => {
  it('is retired by an operator, more than once if need be, and the trail says by whom', async () => {
    const other = await cloud.tenant('other');
    await poll(reportText({ id: 'a', revision: await commit('one') }));
    await commit('two');
    expect((await retire('a', other)).status).toBe(403);
    expect((await retire('a', agent)).status).toBe(403);
    expect((await retire('a', admin, '?tenant=other')).body).toEqual({ retired: 0 });
    expect((await retire('a')).body).toEqual({ retired: 1 });
    expect((await retire('a')).body).toEqual({ retired: 0 });
    expect(await list()).toMatchObject({ total: 0, enforced: true });
    const { items } = (await cloud.ask('GET', '/v1/audit/tenants', { as: admin })).body;
    expect(items.filter(({ op }: { op: string }) => op === 'retire')).toMatchObject([
      { agent: 'a', tenant: { name: 'default' }, credential: { name: 'administrator' } },
    ]);
  });

  it('is retired with all others of its credential, which is named by its id where its name means several', async () => {
    for (const id of ['a', 'b']) await poll(reportText({ id }));
    await poll(reportText({ id: 'c' }), await cloud.key(admin, ['bundle']));
    const { credential } = (await list()).agents.find(({ id }: { id: string }) => id === 'a');
    const all = async (which: string, query = '') =>
      await cloud.ask('DELETE', `/v1/agents?credential=${which}${query}`, { as: admin });
    expect((await cloud.ask('DELETE', '/v1/agents', { as: admin })).status).toBe(400);
    expect((await cloud.ask('DELETE', `/v1/agents?credential=${credential.name}`, { as: agent })).status).toBe(403);
    await cloud.tenant('other');
    expect((await all(credential.name, '&tenant=other')).body).toEqual({ retired: 0 });
    expect((await all('nobody')).body).toEqual({ retired: 0 });
    expect((await all(credential.name)).body).toEqual({ retired: 2 });
    expect((await list()).agents).toMatchObject([{ id: 'c' }]);
    const { items } = (await cloud.ask('GET', '/v1/audit/tenants', { as: admin })).body;
    expect(items[0]).toMatchObject({ op: 'retire', credentials: [credential.name], tenant: { name: 'default' } });
    expect(items[0]).not.toHaveProperty('agent');

    await poll(reportText({ id: 'a' }));
    expect((await list()).total).toBe(2);
    await cloud.commit(admin, [{ op: 'delete', address: `api_key/${credential.name}` }]);
    const again = { name: credential.name, scopes: ['bundle'] };
    const { body } = await cloud.ask('POST', '/v1/api-keys', { as: admin, body: again });
    await poll(reportText({ id: 'd' }), body.secret);
    const refused = await all(credential.name);
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(refused.body.detail).toContain(`"${credential.id}"`);
    expect((await all(credential.id)).body).toEqual({ retired: 1 });
    expect((await list()).agents.map(({ id }: { id: string }) => id).sort()).toEqual(['c', 'd']);
  });

  it('is listed again once it asks', async () => {
    await poll(reportText({ id: 'a' }));
    await retire('a');
    await poll(reportText({ id: 'a' }));
    expect((await list()).total).toBe(1);
  });

  it('with a maximum age is forgotten a day after it, and one without stays', async () => {
    await poll(reportText({ id: 'a', max_age: 60 }));
    await poll(reportText({ id: 'b' }));
    now += 86_400_000;
    await cloud.restart();
    expect((await list('', await cloud.token())).total).toBe(2);
    now += 200_000;
    await cloud.restart();
    expect((await list('', await cloud.token())).agents).toMatchObject([{ id: 'b' }]);
  });
});
