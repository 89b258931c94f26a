import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { asking } from './agent/tenant-fixture.js';
import { CloudProcess } from './cloud/cloud-process.js';

let home: string;
let cloud: CloudProcess;
let admin: ServiceClient;
let agent: AgentProcess;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-min-revision-'));
  cloud = new CloudProcess(join(home, 'cloud'));
  admin = await cloud.client();
  const { secret } = await admin.records('api_key').create({ name: 'agent', scopes: ['bundle'] });
  const env = agentEnv(home, await cloud.url(), {
    SERVICE_API_KEY: String(secret),
    SERVICE_POLL_INTERVAL: '24h',
    SERVICE_CACHE_DIR: join(home, 'cache'),
  });
  agent = new AgentProcess({ env });
  await agent.serves((await admin.state()).revision);
}, 60_000);
afterAll(async () => {
  await agent.kill();
  await cloud.kill();
  rmSync(home, { recursive: true, force: true });
});

const from = async (revision: string) => {
  const headers = { 'content-type': 'application/json', 'service-min-revision': revision };
  const response = await fetch(`${await agent.url()}/v1/authorize`, { method: 'POST', headers, body: asking('alice') });
  const { code } = (await response.json()) as { code?: string };
  return { status: response.status, code, revision: response.headers.get('service-revision') };
};
const commit = async (name: string) =>
  (await admin.changeset({ changes: [{ op: 'create', kind: 'role', fields: { name } }] })).revision;
const numberOf = (revision: string) => Number.parseInt(revision, 10);

it('answers from a commit on that its caller names, as soon as the commit has come', async () => {
  for (let turn = 0; turn < 20; turn++) {
    const revision = await commit(`turn-${turn}`);
    const wanted = turn % 2 === 0 ? revision : String(numberOf(revision));
    expect(await from(wanted)).toEqual({ status: 200, code: undefined, revision });
  }
});

it('is asked by a client for what another client has written at the cloud, and then for what it has seen itself', async () => {
  const client = new ServiceClient({ url: await agent.url() });
  for (let turn = 0; turn < 10; turn++) {
    const role = await admin.records('role').create({ name: `written-${turn}` });
    const created = admin.revision ?? '';
    await admin.records('role').delete(role.id);
    const deleted = admin.revision ?? '';
    expect(numberOf(deleted)).toBe(numberOf(created) + 1);
    client.notBefore(deleted);
    expect(await client.decide(JSON.parse(asking('alice')))).toMatchObject({ revision: deleted });
    expect(client.revision).toBe(deleted);
  }
  client.notBefore('9999.00000000000000aa');
  expect(await client.decide(JSON.parse(asking('alice')))).toMatchObject({ revision: admin.revision });
  expect(client.revision).toBe(admin.revision);
  expect(() => client.notBefore('newest')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

it('refuses what the cloud does not have, and what is no revision', async () => {
  const { revision } = await admin.state();
  const number = numberOf(revision);
  for (const missing of [
    String(number + 1),
    `${number}.${'0'.repeat(16)}`,
    `${number + 1}${revision.slice(revision.indexOf('.'))}`,
  ])
    expect(await from(missing)).toEqual({ status: 412, code: 'unknown_revision', revision: null });
  expect(await from('newest')).toMatchObject({ status: 400, code: 'invalid_request' });
  const unknown = 'service_agent_revision_waits_total{outcome="unknown"}';
  expect((await agent.metrics()).get(unknown)).toBe(3);
});

it('never answers from before it while the cloud is gone', async () => {
  const { revision } = await admin.state();
  await cloud.kill();
  expect(await from(revision)).toMatchObject({ status: 200, revision });
  const next = String(numberOf(revision) + 1);
  expect(await from(next)).toEqual({ status: 503, code: 'behind_revision', revision: null });

  const ends = new AbortController();
  const url = `${await agent.url()}/v1/authorize`;
  const headers = { 'content-type': 'application/json', 'service-min-revision': next };
  const gone = fetch(url, { method: 'POST', headers, body: asking('alice'), signal: ends.signal });
  setTimeout(() => ends.abort(), 200);
  await expect(gone).rejects.toThrow();
  // Its place is free long before the wait would have ended.
  const left = 'service_agent_revision_waits_total{outcome="gone"}';
  await until(async () => expect((await agent.metrics()).get(left)).toBe(1));
  expect((await agent.metrics()).get(left.replace('gone', 'late'))).toBe(1);
});
