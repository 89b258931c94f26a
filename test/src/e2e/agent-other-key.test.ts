import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv } from './agent/agent-process.js';
import { ScriptedCloud } from './agent/scripted-cloud.js';
import { bundleOf, tenant } from './agent/tenant-fixture.js';

let home: string;
let cloud: ScriptedCloud;
const running: AgentProcess[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-other-key-'));
  cloud = await ScriptedCloud.start();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((agent) => agent.kill()));
  await cloud.stop();
  rmSync(home, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}): AgentProcess {
  const agent = new AgentProcess({
    env: agentEnv(home, cloud.url, { SERVICE_POLL_INTERVAL: '50ms', SERVICE_CACHE_DIR: home, ...env }),
  });
  running.push(agent);
  return agent;
}

describe('an agent whose cache came by another API key, as that of another tenant in the same folder,', () => {
  const others = bundleOf(tenant({ id: 'tenant-2', name: 'globex', revision: 7, readers: ['bob'] }));

  it('serves it with a warning until the cloud says whose the key is', async () => {
    await cloud.signer.leaveIn(home, others, 'svc_other');
    await cloud.refuse();
    const agent = start();
    const line = await agent.logged(({ level }) => level === 'WARN');
    expect(line).toMatchObject({ tenant: 'globex', msg: expect.stringMatching(/another API key.*SERVICE_CACHE_DIR/) });
    expect(await agent.allows('bob')).toBe(true);
    const own = bundleOf(tenant({}));
    await cloud.serve(own);
    await cloud.listen();
    await agent.serves(own.revision);
    expect(await agent.allows('bob')).toBe(false);
    expect(agent.log.filter(({ msg }) => msg.startsWith('older bundle'))).toEqual([]);
    await agent.kill();
    await cloud.refuse();
    const again = start();
    expect(await again.healthy(({ degraded }) => degraded)).toMatchObject({ bundle_revision: own.revision });
    expect(again.log.filter(({ msg }) => msg.includes('another API key'))).toEqual([]);
  });

  it.each([
    ['the same', 'globex', 'serving the cached bundle'],
    ['another', 'acme', 'cached bundle ignored, not ready until the first sync'],
  ])('takes it or leaves it where the configured tenant is %s', async (_name, configured, expected) => {
    await cloud.signer.leaveIn(home, others, 'svc_other');
    await cloud.refuse();
    const agent = start({ SERVICE_TENANT_ID: configured });
    await agent.logged(({ msg }) => msg === expected);
    expect(agent.log.filter(({ msg }) => msg.includes('another API key'))).toEqual([]);
  });

  it('takes nothing older of the same tenant', async () => {
    await cloud.signer.leaveIn(home, bundleOf(tenant({ revision: 5, readers: [] })), 'svc_other');
    await cloud.serve(bundleOf(tenant({ revision: 4 })));
    const agent = start();
    const line = await agent.logged(({ msg }) => msg === 'bundle sync failed');
    expect(line.error).toMatch(/Revision 4\..* is older than 5\./);
    expect(await agent.allows('alice')).toBe(false);
  });
});
