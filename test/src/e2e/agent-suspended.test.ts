import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TcpProxy } from '../faults/tcp-proxy.js';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { CloudProcess } from './cloud/cloud-process.js';

let home: string;
let cloud: CloudProcess;
let network: TcpProxy;
let agents: AgentProcess[];
let directory: ServiceClient;
let envOf: (name: string, more?: Record<string, string>) => Record<string, string>;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-suspended-'));
  cloud = new CloudProcess(join(home, 'cloud'));
  agents = [];
  const admin = await cloud.client();
  const url = await cloud.url();
  network = await TcpProxy.start(() => new URL(url));
  const application = 'app';
  const policy = { application, name: 'read', effect: 'ALLOW', resource_type: 'app/doc', actions: ['read'] };
  await admin.changeset({
    changes: [
      { op: 'create', kind: 'directory', fields: { name: 'okta' } },
      { op: 'create', kind: 'application', fields: { name: application } },
      { op: 'create', kind: 'resource_type', fields: { application, name: 'doc', actions: ['read'] } },
      { op: 'create', kind: 'policy', fields: policy },
      { op: 'create', kind: 'policy_assignment', fields: { policy: 'app/read', entity_type: 'everyone', entity: '*' } },
    ],
  });
  const keys = admin.records('api_key');
  const { secret } = await keys.create({ name: 'agent', scopes: ['bundle'] });
  const key = await keys.create({ name: 'okta', scopes: ['directory'], directory: 'okta' });
  directory = new ServiceClient({ url, credentials: { apiKey: key.secret } });
  envOf = (name, more = {}) =>
    agentEnv(home, network.url, {
      SERVICE_API_KEY: secret,
      SERVICE_POLL_INTERVAL: '200ms',
      SERVICE_CACHE_DIR: join(home, name),
      ...more,
    });
}, 60_000);
afterEach(async () => {
  for (const agent of agents) await agent.kill();
  await network.stop();
  await cloud.kill();
  rmSync(home, { recursive: true, force: true });
});

const started = (env: Record<string, string>): AgentProcess => {
  const agent = new AgentProcess({ env });
  agents.push(agent);
  return agent;
};
const asked = async (agent: AgentProcess) => {
  const body = { subject: { type: 'user', id: 'zoe' }, action: { name: 'read' }, resource: { type: 'doc', name: 'd' } };
  const answer = await agent.authorize(JSON.stringify(body));
  const { decision, code } = (await answer.json()) as { decision?: boolean; code?: string };
  return decision ?? code;
};

it('is allowed by cut-off agents as far as their maximum age goes, and denied by each that comes back', async () => {
  const { id } = (await directory.directories.scim({ method: 'POST', path: 'Users', body: { userName: 'zoe' } })) as {
    id: string;
  };
  const [patient, strict] = [started(envOf('patient')), started(envOf('strict', { SERVICE_MAX_AGE: '2s' }))];
  for (const agent of [patient, strict]) await until(async () => expect(await asked(agent)).toBe(true));

  network.refuse();
  const Operations = [{ op: 'replace', path: 'active', value: false }];
  await directory.directories.scim({ method: 'PATCH', path: `Users/${id}`, body: { Operations } });
  await until(async () => expect(await asked(strict)).toBe('too_old'));
  expect(await asked(patient)).toBe(true);
  // One that starts from its cache meanwhile knows no more.
  await patient.kill();
  const again = started(envOf('patient'));
  await until(async () => expect(await asked(again)).toBe(true));

  network.heal();
  for (const agent of [again, strict]) await until(async () => expect(await asked(agent)).toBe(false));
  // What it has learnt stays, without the cloud, too.
  network.refuse();
  await again.kill();
  const last = started(envOf('patient'));
  await until(async () => expect(await asked(last)).toBe(false));
});
