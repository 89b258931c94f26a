import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Change } from '@authz-service/core/state/change';
import type { ServiceClient } from '@authz-service/sdk/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from '../e2e/agent/agent-process.js';
import { CloudProcess } from '../e2e/cloud/cloud-process.js';
import { TENANT } from './fuzz/decisions.js';

let dir: string;
let cloud: CloudProcess;
let admin: ServiceClient;
let key: string;
const agents: AgentProcess[] = [];
const clusters: ChildProcess[] = [];

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
  await Promise.all(clusters.splice(0).map(ended));
  await cloud.kill();
  rmSync(dir, { recursive: true, force: true });
});

/** Workers end when their primary is gone. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill();
  await gone;
}

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

/** A cluster of two workers, with the lines that it has printed. */
function startCluster(cloudUrl: string) {
  const env = { ...process.env, CLOUD_URL: cloudUrl, API_KEY: key, CACHE_DIR: join(dir, 'cache') };
  const child = fork(fileURLToPath(new URL('cluster.mjs', import.meta.url)), { env, silent: true });
  const lines: { worker: number; revision?: string; allowed?: boolean; error?: string }[] = [];
  createInterface({ input: child.stdout as Readable }).on('line', (line) => lines.push(JSON.parse(line)));
  clusters.push(child);
  const serve = (revision: string, allowed: boolean) =>
    until(() => {
      for (const worker of [1, 2]) expect(lines).toContainEqual({ worker, revision, allowed });
    });
  return { child, lines, serve };
}

it('workers of a cluster that share a folder decide rightly, say so once, and start from it without the cloud', async () => {
  const { child, lines, serve } = startCluster(await cloud.url());
  await serve(String((await admin.state()).revision), true);
  let revision = '';
  for (const id of ['a', 'b', 'c']) {
    revision = await commit(id);
    await serve(revision, true);
  }
  const address = 'policy_assignment/billing/read//subject/user/alice';
  ({ revision } = await admin.changeset({ changes: [{ op: 'delete', address }] }));
  await serve(revision, false);
  const said = lines.filter(({ error }) => error !== undefined);
  expect(said.map(({ worker }) => worker)).toEqual([...new Set(said.map(({ worker }) => worker))]);
  expect(said.length).toBeGreaterThan(0);
  for (const { error } of said) expect(error).toMatch(/another process writes there, too: .*cacheDir/);
  await ended(child);

  const again = startCluster('http://127.0.0.1:9');
  await again.serve(revision, false);
});
