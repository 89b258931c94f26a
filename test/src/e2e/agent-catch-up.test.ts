/** An agent that comes back behind thousands of changes follows them by deltas, and starts no engine anew. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Change } from '@authz-service/core/state/change';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TcpProxy } from '../faults/tcp-proxy.js';
import { AgentProcess, agentEnv } from './agent/agent-process.js';
import { CloudProcess } from './cloud/cloud-process.js';

const MEMBERS = 12_000;

let home: string;
let cloud: CloudProcess;
let proxy: TcpProxy;
let agent: AgentProcess | undefined;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-catch-up-'));
  cloud = new CloudProcess(join(home, 'cloud'));
  const target = new URL(await cloud.url());
  proxy = await TcpProxy.start(() => target);
}, 60_000);
afterEach(async () => {
  await agent?.kill();
  await cloud.kill();
  await proxy.stop();
  rmSync(home, { recursive: true, force: true });
});

const people = (from: number, to: number): Change[] =>
  Array.from({ length: to - from }, (_, n) => ({
    ...{ op: 'create', kind: 'subject', fields: { type: 'user', id: `person-${from + n}` } },
  }));

it('follows in parts', async () => {
  const admin = await cloud.client();
  await admin.changeset({ changes: people(0, MEMBERS) });
  const key = String((await admin.records('api_key').create({ name: 'agent', scopes: ['bundle'] })).secret);
  agent = new AgentProcess({
    env: agentEnv(home, proxy.url, {
      SERVICE_API_KEY: key,
      SERVICE_POLL_INTERVAL: '2s',
      SERVICE_CACHE_DIR: join(home, 'cache'),
    }),
  });
  await agent.serves((await admin.state()).revision);
  proxy.cut();
  let revision = '';
  for (let at = MEMBERS; at < MEMBERS + 2800; at += 400)
    ({ revision } = await admin.changeset({ changes: people(at, at + 400) }));
  proxy.heal();
  await agent.serves(revision);
  const taken = agent.log
    .filter(({ msg }) => msg === 'bundle activated')
    .map(({ activated_by: by, changed_records: count }) => [by, count]);
  // What is left in the end is little enough for one step.
  expect(taken).toEqual([['bundle', undefined], ...Array.from({ length: 5 }, () => ['delta', 400]), ['delta', 800]]);
}, 60_000);
