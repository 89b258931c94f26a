import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { ScriptedCloud } from './agent/scripted-cloud.js';
import { asking, bundleOf, tenant } from './agent/tenant-fixture.js';

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

describe('an agent whose cache was fetched with another API key, as by an agent of another tenant in the same folder,', () => {
  const others = bundleOf(tenant({ id: 'tenant-2', name: 'globex', revision: 7, readers: ['bob'] }));
  const ignored = 'cached bundle ignored, not ready until the first sync';

  it('does not serve it while the cloud is away, and takes what the cloud has for its key', async () => {
    await cloud.signer.leaveIn(home, others, 'svc_other');
    await cloud.refuse();
    const agent = start();
    const line = await agent.logged(({ level }) => level === 'WARN');
    const cause = /tenant globex \(tenant-2\).*another API key.*SERVICE_TENANT_ID to tenant-2.*SERVICE_CACHE_DIR/;
    expect(line).toMatchObject({ msg: ignored, error: expect.stringMatching(cause) });
    expect((await agent.get('/readyz')).status).toBe(503);
    expect((await agent.authorize(asking('bob'))).status).toBe(503);
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
  });

  it.each([
    ['the id of its tenant', 'tenant-2', 'serving the cached bundle'],
    ['the name of its tenant', 'globex', 'serving the cached bundle'],
    ['another', 'acme', ignored],
  ])('takes it or leaves it where SERVICE_TENANT_ID is %s', async (_name, configured, expected) => {
    await cloud.signer.leaveIn(home, others, 'svc_other');
    await cloud.refuse();
    const agent = start({ SERVICE_TENANT_ID: configured });
    await agent.logged(({ msg }) => msg === expected);
    expect((await agent.get('/readyz')).status).toBe(expected === ignored ? 503 : 200);
  });

  it('makes it its own once the cloud has confirmed it', async () => {
    await cloud.signer.leaveIn(home, others, 'svc_other');
    await cloud.serve(others);
    const agent = start({ SERVICE_TENANT_ID: 'globex' });
    await agent.serves(others.revision);
    await until(() => expect(cloud.requests.length).toBeGreaterThan(1));
    await agent.kill();
    await cloud.refuse();
    const again = start();
    expect(await again.healthy(({ degraded }) => degraded)).toMatchObject({ bundle_revision: others.revision });
  });

  it('takes nothing older of the same tenant', async () => {
    await cloud.signer.leaveIn(home, bundleOf(tenant({ revision: 5, readers: [] })), 'svc_other');
    await cloud.serve(bundleOf(tenant({ revision: 4 })));
    const agent = start();
    const line = await agent.logged(({ msg }) => msg === 'bundle sync failed');
    expect(line.error).toMatch(/Revision 4\..* is older than 5\..*, which was served/);
    expect((await agent.get('/readyz')).status).toBe(503);
  });
});
