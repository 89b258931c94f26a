import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Change } from '@authz-service/core/state/change';
import type { ServiceClient } from '@authz-service/sdk/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentProcess, agentEnv } from '../e2e/agent/agent-process.js';
import { CloudProcess } from '../e2e/cloud/cloud-process.js';
import { TENANT } from './fuzz/decisions.js';

let dir: string;
let cloud: CloudProcess;
let admin: ServiceClient;
let key: string;
const agents: AgentProcess[] = [];

const subject = (id: string): Change => ({ op: 'create', kind: 'subject', fields: { type: 'user', id } });

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'shared-cache-'));
  cloud = new CloudProcess(join(dir, 'cloud'));
  admin = await cloud.client();
  await admin.changeset({
    changes: [...TENANT, ...Array.from({ length: 40 }, (_, at) => subject(`other-${at}`))],
  });
  key = String((await admin.records('api_key').create({ name: 'agent', scopes: ['bundle'] })).secret);
});
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.kill()));
  await cloud.kill();
  rmSync(dir, { recursive: true, force: true });
});

async function start(cloudUrl: string): Promise<AgentProcess> {
  const agent = new AgentProcess({
    env: agentEnv(dir, cloudUrl, {
      SERVICE_API_KEY: key,
      SERVICE_POLL_INTERVAL: '30s',
      SERVICE_CACHE_DIR: join(dir, 'cache'),
    }),
  });
  agents.push(agent);
  await agent.url();
  return agent;
}

async function commit(id: string): Promise<string> {
  return (await admin.changeset({ changes: [subject(id)] })).revision;
}

it('two agents that share a folder say so once, and leave a cache there that can be served', async () => {
  const url = await cloud.url();
  const [one, other] = [await start(url), await start(url)];
  for (const id of ['a', 'b']) {
    const revision = await commit(id);
    await Promise.all([one.serves(revision), other.serves(revision)]);
  }
  // One is told of three commits one by one, the other of all of them at once.
  other.signal('SIGSTOP');
  let revision = '';
  for (const id of ['c', 'd', 'e']) {
    revision = await commit(id);
    await one.serves(revision);
  }
  other.signal('SIGCONT');
  await other.serves(revision);
  const address = 'policy_assignment/billing/read//subject/user/alice';
  ({ revision } = await admin.changeset({ changes: [{ op: 'delete', address }] }));
  await Promise.all([one.serves(revision), other.serves(revision)]);
  for (const id of ['f', 'g']) {
    revision = await commit(id);
    await Promise.all([one.serves(revision), other.serves(revision)]);
  }
  const said = [one, other].flatMap(({ log }) => log.filter(({ level }) => level === 'ERROR'));
  expect(said.length).toBeGreaterThan(0);
  for (const line of said)
    expect(line.error).toMatch(/another process writes there, too: give each agent its own SERVICE_CACHE_DIR/);
  for (const { log } of [one, other]) expect(log.filter(({ level }) => level === 'ERROR').length).toBeLessThan(2);

  await Promise.all([one.kill(), other.kill()]);
  const again = await start('http://127.0.0.1:9');
  expect(await again.health()).toMatchObject({ bundle_revision: revision });
  expect(await again.allows('alice')).toBe(false);
});
