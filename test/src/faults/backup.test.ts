import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { revisionNumber } from '@authz-service/core/state/revision';
import type { ServiceClient } from '@authz-service/sdk/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from '../e2e/agent/agent-process.js';
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

async function stopCloud(): Promise<void> {
  cloud.signal('SIGTERM');
  await cloud.exited;
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
    await stopCloud();
    cpSync(join(dir, 'cloud'), join(dir, 'backup'), { recursive: true });
    await startCloud();
    const [running, away] = [start('running'), start('away')];
    const { revision } = await admin.changeset({ changes: [{ op: 'delete', address: GRANT }] });
    await Promise.all([running.serves(revision), away.serves(revision)]);
    expect(await running.allows('alice')).toBe(false);
    await away.kill();

    await stopCloud();
    rmSync(join(dir, 'cloud'), { recursive: true });
    cpSync(join(dir, 'backup'), join(dir, 'cloud'), { recursive: true });
    await startCloud();
    const later = await commitBeyond(revision);

    const back = start('away');
    const remedy = /comes from a past without .*, which is served.* remove bundle.json .*SERVICE_ALLOW_ROLLBACK=true/;
    for (const agent of [running, back]) {
      await agent.logged(({ error }) => remedy.test(String(error)));
      expect(await agent.health()).toMatchObject({ bundle_revision: revision, degraded: true });
      expect(await agent.allows('alice')).toBe(false);
    }
    await until(() => {
      const lines = cloud.stderr.filter((line) => line.includes('a revision that this tenant never stood at'));
      expect(lines).toHaveLength(1);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'WARN', tenant: 'default', held: revision });
    });

    await back.kill();
    const permitted = start('away', { SERVICE_ALLOW_ROLLBACK: 'true' });
    await permitted.serves(later);
    expect(await permitted.allows('alice')).toBe(true);
  });
});
