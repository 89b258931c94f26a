import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess } from './agent/agent-process.js';
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
    env: {
      HOME: home,
      SERVICE_API_KEY: 'svc_test',
      SERVICE_CLOUD_URL: cloud.url,
      SERVICE_LISTEN_ADDR: '127.0.0.1:0',
      SERVICE_POLL_INTERVAL: '50ms',
      SERVICE_CACHE_DIR: home,
      ...env,
    },
  });
  running.push(agent);
  return agent;
}

describe('an agent whose cache came by another API key, as that of another tenant in the same folder,', () => {
  it('serves it where the tenant is configured, and else only what the cloud says', async () => {
    const others = bundleOf(tenant({ id: 'tenant-2', name: 'globex', revision: 7, readers: ['bob'] }));
    await cloud.signer.leaveIn(home, others, 'svc_other');
    await cloud.refuse();
    const configured = start({ SERVICE_TENANT_ID: 'globex' });
    expect(await configured.healthy(({ degraded }) => degraded)).toMatchObject({ bundle_revision: others.revision });
    await configured.kill();
    const agent = start();
    const line = await agent.logged(({ msg }) => msg.startsWith('cached bundle ignored'));
    expect(line.error).toMatch(
      /of tenant globex \(tenant-2\) and did not come by the API key in use.*SERVICE_CACHE_DIR/,
    );
    expect((await agent.authorize(asking('bob'))).status).toBe(503);
    const own = bundleOf(tenant({}));
    await cloud.serve(own);
    await cloud.listen();
    await agent.healthy(({ status, bundle_revision }) => status === 'ok' && bundle_revision === own.revision);
    expect(await (await agent.authorize(asking('bob'))).json()).toMatchObject({ decision: false });
    await agent.kill();
    await cloud.refuse();
    expect(await start().healthy(({ degraded }) => degraded)).toMatchObject({ bundle_revision: own.revision });
  });

  it('takes nothing older of the same tenant', async () => {
    await cloud.signer.leaveIn(home, bundleOf(tenant({ revision: 5, readers: [] })), 'svc_other');
    await cloud.serve(bundleOf(tenant({ revision: 4 })));
    const agent = start();
    const line = await agent.logged(({ msg }) => msg === 'bundle sync failed');
    expect(line.error).toMatch(/Revision 4\..* is older than 5\./);
    expect((await agent.authorize(asking('alice'))).status).toBe(503);
  });
});
