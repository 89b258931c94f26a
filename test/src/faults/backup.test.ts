import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { revisionNumber } from '@authz-service/core/state/revision';
import type { ServiceClient } from '@authz-service/sdk/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from '../e2e/agent/agent-process.js';
import { finished, PROGRAM } from '../e2e/cli/workbench.js';
import { CloudProcess } from '../e2e/cloud/cloud-process.js';
import { TENANT } from './fuzz/decisions.js';
import { TcpProxy } from './tcp-proxy.js';

const GRANT = 'policy_assignment/billing/read//subject/user/alice';

let dir: string;
let cloud: CloudProcess;
let admin: ServiceClient;
let proxy: TcpProxy;
let target: URL | undefined;
let key: string;
const agents: AgentProcess[] = [];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'backup-'));
  proxy = await TcpProxy.start(() => target);
  await startCloud();
  await admin.changeset({ changes: TENANT });
  key = String((await admin.records('api_key').create({ name: 'agent', scopes: ['bundle'] })).secret);
});
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.kill()));
  await cloud.kill();
  await proxy.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function startCloud(): Promise<void> {
  cloud = new CloudProcess(join(dir, 'cloud'));
  target = new URL(await cloud.url());
  admin = await cloud.client();
}

function start(name: string, env: Record<string, string> = {}): AgentProcess {
  const agent = new AgentProcess({
    env: agentEnv(join(dir, name), proxy.url, { SERVICE_API_KEY: key, SERVICE_POLL_INTERVAL: '100ms', ...env }),
  });
  agents.push(agent);
  return agent;
}

/** A restore turns off what is not an operator's. */
async function restoreAndStart(): Promise<void> {
  await service('restore', 'backup', '--replace');
  await startCloud();
  await admin.tenants.enableCredentials('default');
}

async function stopCloud(): Promise<void> {
  cloud.signal('SIGTERM');
  await cloud.exited;
}

/** Runs `servicectl cloud …` on the folder of the cloud; what it says as JSON, or of the error. */
// biome-ignore lint/suspicious/noExplicitAny: the tests look into it.
async function service(command: string, file: string, ...flags: string[]): Promise<any> {
  const args = [PROGRAM, 'cloud', command, join(dir, file), '--data-dir', join(dir, 'cloud'), '--json', ...flags];
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, HOME: dir } });
  return JSON.parse((await finished(child)).stdout);
}

/** Commits subjects until the tenant stands beyond this revision. */
async function commitBeyond(revision: string): Promise<string> {
  for (let at = 0; ; at++) {
    const fields = { type: 'user', id: `later-${at}` };
    const done = await admin.changeset({ changes: [{ op: 'create', kind: 'subject', fields }] });
    if (revisionNumber(done.revision) > revisionNumber(revision) + 1) return done.revision;
  }
}

describe('a cloud whose database was restored from an older backup', () => {
  it('gives no agent back what was revoked, not even when its revisions outrun theirs, unless an operator permits it', async () => {
    await service('backup', 'backup');
    const [running, away] = [start('running'), start('away')];
    const { revision } = await admin.changeset({ changes: [{ op: 'delete', address: GRANT }] });
    await Promise.all([running.serves(revision), away.serves(revision)]);
    expect(await running.allows('alice')).toBe(false);
    await away.kill();

    await stopCloud();
    await restoreAndStart();
    const later = await commitBeyond(revision);

    const back = start('away');
    const remedy =
      /comes from a history without .*, which is served.* remove bundle.json .*SERVICE_ALLOW_ROLLBACK=true/;
    for (const agent of [running, back]) {
      await agent.logged(({ error }) => remedy.test(String(error)));
      expect(await agent.health()).toMatchObject({ bundle_revision: revision, degraded: true });
      expect(await agent.allows('alice')).toBe(false);
    }
    await until(() => {
      const lines = cloud.stderr.filter((line) => line.includes('a revision that this tenant never had'));
      expect(lines).toHaveLength(1);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'WARN', tenant: 'default', held: revision });
    });

    await back.kill();
    const permitted = start('away', { SERVICE_ALLOW_ROLLBACK: 'true' });
    await permitted.serves(later);
    expect(await permitted.allows('alice')).toBe(true);
  });
});

describe('a backup beside a cloud that commits without pause', () => {
  it('ends, and restores to a revision that was, with its records and credentials', async () => {
    let ended = false;
    const committer = async (name: string) => {
      for (let at = 0; !ended; at++) {
        await admin.changeset({
          changes: [
            { op: 'create', kind: 'subject', fields: { type: name, id: `${at}` } },
            { op: 'create', kind: 'group', fields: { name: `${name}-${at}` } },
          ],
        });
      }
    };
    const { revision: first } = await admin.state();
    const committing = Promise.all(['a', 'b', 'c', 'd'].map(committer));
    await until(async () => expect((await admin.whoami()).credential.name).toBe('administrator'));
    const made = await service('backup', 'backup').finally(() => {
      ended = true;
    });
    await committing;
    const [{ revision }] = made.tenants;
    expect(revisionNumber(revision)).toBeGreaterThanOrEqual(revisionNumber(first));

    const known = new Map<string, number>();
    for await (const entry of admin.audit({ limit: 1000 })) known.set(entry.revision, entry.counts.added);
    expect(known.has(revision)).toBe(true);
    let records = 0;
    for (const [at, added] of known) if (revisionNumber(at) <= revisionNumber(revision)) records += added;
    await admin.records('api_key').delete('agent');

    expect(await service('restore', 'backup', '--replace')).toMatchObject({
      error: { code: 'invalid_config', detail: expect.stringContaining('Another process has the data directory') },
    });
    await cloud.kill();
    expect(await service('restore', 'backup', '--replace')).toMatchObject({
      error: {
        code: 'invalid_config',
        detail: expect.stringMatching(/cloud\.sqlite-wal" lies there.*start the cloud/),
      },
    });
    await startCloud();
    await stopCloud();
    const restored = await service('restore', 'backup', '--replace');
    expect(restored).toMatchObject({ tenants: [{ name: 'default', revision }], compared: true });
    const back = restored.credentials.filter(({ since }: { since: string }) => since !== 'unchanged');
    expect(back).toMatchObject([{ kind: 'api_key', name: 'agent', since: 'removed' }]);
    expect(readdirSync(join(dir, 'cloud')).sort()).toEqual([
      'cloud.lock',
      'cloud.sqlite',
      expect.stringMatching(/^cloud\.sqlite\.before-restore-/),
    ]);

    // The start compares every row with what was committed.
    await startCloud();
    const state = await admin.state();
    expect(state.revision).toBe(revision);
    expect(state.records).toHaveLength(records);
    await commitBeyond(revision);
  });
});
