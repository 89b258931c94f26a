import { reportText } from '@authz-service/pdp/contract/agent-report';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { billing, TestCloud } from '../../testing/test-cloud.js';

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

const list = async () => (await cloud.ask('GET', '/v1/agents', { as: admin })).body;
const poll = async (header: string, as = agent) =>
  await cloud.ask('GET', '/v1/policies/bundle', { as, headers: { 'service-agent': header } });
const commit = async (name: string): Promise<string> =>
  (await cloud.commit(admin, [{ op: 'create', kind: 'group', fields: { name } }])).revision;
const metric = async (line: string) =>
  String((await cloud.ask('GET', '/metrics')).body)
    .split('\n')
    .includes(line);

describe('what agents report', () => {
  it('is listed, those that lag first, with how far', async () => {
    expect(await list()).toMatchObject({ total: 0, enforcing: 0, complete: true, agents: [], more: false });
    const old = await commit('one');
    const revision = await commit('two');
    await poll(reportText({ id: 'b', name: 'host-b', version: '1.0.0', revision, age: 1, max_age: 60 }));
    await poll(reportText({ id: 'a', revision: old, error: 'network' }));
    await poll(reportText({ id: 'c' }));
    const { credential, ...rest } = (
      await vi.waitUntil(async () => {
        const { agents } = await list();
        return agents.length === 3 ? agents : undefined;
      })
    )[2];
    expect(rest).toEqual({
      id: 'b',
      name: 'host-b',
      version: '1.0.0',
      revision,
      lag: 0,
      diverged: false,
      age_seconds: 1,
      max_age_seconds: 60,
      error: null,
      last_seen: '2026-06-01T08:00:00.000Z',
    });
    expect(credential.name).toMatch(/^key-/);
    const listed = await list();
    expect(listed).toMatchObject({ revision, total: 3, enforcing: 1 });
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

  it('counts as a straggler though the tenant changes often, until it is silent beyond its maximum age', async () => {
    const old = await commit('one');
    await poll(reportText({ id: 'a', revision: old }));
    await poll(reportText({ id: 'b', revision: old, max_age: 60 }));
    await vi.waitUntil(async () => (await list()).total === 2);
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
    await poll(reportText({ id: 'a', revision }));
    expect(await metric('service_cloud_enforced_seconds_count 1')).toBe(true);
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
    await vi.waitUntil(async () => (await list()).total === 3);
    const { agents, enforcing } = await list();
    expect(enforcing).toBe(0);
    for (const one of agents) expect(one).toMatchObject({ lag: null, diverged: true });
  });

  it.each(['', 'id=', 'id=a%0Ab', `id=${'x'.repeat(65)}`, 'id=a&age=-1', 'name=a', `id=a&name=${'x'.repeat(3000)}`])(
    'is ignored where it is malformed, as "%s", and the bundle comes all the same',
    async (header) => {
      expect((await poll(header)).status).toBe(200);
      expect((await list()).total).toBe(0);
    },
  );

  it('is one entry for each credential and id, and for its tenant alone', async () => {
    const other = await cloud.tenant('other');
    await poll(reportText({ id: 'a' }));
    await poll(reportText({ id: 'a' }));
    await poll(reportText({ id: 'a' }), await cloud.key(admin, ['bundle']));
    await vi.waitUntil(async () => (await list()).total === 2);
    expect((await cloud.ask('GET', '/v1/agents', { as: other })).body).toMatchObject({ total: 0 });
    expect((await cloud.ask('GET', '/v1/agents', { as: agent })).status).toBe(403);
  });
});
