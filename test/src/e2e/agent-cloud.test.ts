import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { PROGRAM } from './cli/workbench.js';
import { CloudProcess } from './cloud/cloud-process.js';

let home: string;
let cloud: CloudProcess;
let admin: ServiceClient;
const running: AgentProcess[] = [];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-cloud-'));
  cloud = new CloudProcess(join(home, 'cloud'));
  admin = await cloud.client();
  await holdInvoices(admin);
}, 60_000);
afterEach(async () => {
  await Promise.all(running.splice(0).map((agent) => agent.kill()));
});
afterAll(async () => {
  await cloud.kill();
  rmSync(home, { recursive: true, force: true });
});

/** Creates the invoices that alice may read. */
async function holdInvoices(client: ServiceClient): Promise<void> {
  const policy = {
    application: 'billing',
    name: 'read',
    effect: 'ALLOW',
    resource_type: 'billing/invoice',
    actions: ['read'],
  };
  await client.changeset({
    changes: [
      { op: 'create', kind: 'application', fields: { name: 'billing' } },
      { op: 'create', kind: 'resource_type', fields: { application: 'billing', name: 'invoice', actions: ['read'] } },
      { op: 'create', kind: 'resource', fields: { type: 'billing/invoice', name: 'INV-1' } },
      { op: 'create', kind: 'policy', fields: policy },
      { op: 'create', kind: 'subject', fields: { type: 'user', id: 'alice' } },
      { op: 'create', kind: 'policy_assignment', fields: READS },
    ],
  });
}

const READS = { policy: 'billing/read', entity_type: 'subject', entity: 'user/alice' };

async function start(client: ServiceClient, cacheDir: string, env: Record<string, string> = {}) {
  const { secret, id } = await client.records('api_key').create({ name: randomUUID(), scopes: ['bundle'] });
  const agent = new AgentProcess({
    env: agentEnv(home, await cloud.url(), {
      SERVICE_API_KEY: String(secret),
      SERVICE_POLL_INTERVAL: '50ms',
      SERVICE_CACHE_DIR: join(home, cacheDir),
      ...env,
    }),
  });
  running.push(agent);
  return { agent, apiKey: String(secret), keyId: String(id) };
}

describe('an agent of the real cloud', () => {
  it('follows what is committed, revision by revision', async () => {
    const { agent } = await start(admin, 'follows');
    const { revision } = await admin.state();
    await agent.serves(revision);
    expect(await agent.allows('alice')).toBe(true);

    const address = 'policy_assignment/billing/read//subject/user/alice';
    const revoked = await admin.changeset({ changes: [{ op: 'delete', address }] });
    await agent.serves(revoked.revision);
    expect(await agent.allows('alice')).toBe(false);

    const granted = await admin.changeset({ changes: [{ op: 'create', kind: 'policy_assignment', fields: READS }] });
    await agent.serves(granted.revision);
    expect(await agent.allows('alice')).toBe(true);
    expect((await agent.metrics()).get('service_agent_bundle_sync_failures_total')).toBe(0);
  });

  it('decides by a commit at once, and follows a new key, without any poll interval', async () => {
    const { agent } = await start(admin, 'waits', { SERVICE_POLL_INTERVAL: '24h' });
    const address = 'policy_assignment/billing/read//subject/user/alice';
    const reported = async () => await new ServiceClient({ url: await agent.url() }).agentStatus();
    for (const allowed of [false, true, false, true]) {
      const { revision } = await admin.changeset({
        changes: [allowed ? { op: 'create', kind: 'policy_assignment', fields: READS } : { op: 'delete', address }],
      });
      await agent.serves(revision);
      expect(await agent.allows('alice')).toBe(allowed);
    }
    const { kid } = await admin.rotateBundleKeys();
    await until(async () => expect((await reported()).keys.signed_by).toBe(kid));
    await until(async () =>
      expect(await reported()).toMatchObject({
        long_poll: true,
        degraded: false,
        last_error: null,
        keys: { pinned: false },
      }),
    );
  });

  it('shows on the command line how it fares, and follows a key that is turned there', async () => {
    const { agent } = await start(admin, 'shown', { SERVICE_POLL_INTERVAL: '24h' });
    await agent.healthy(({ status }) => status === 'ok');
    const client = { SERVICE_CLIENT_ID: 'admin', SERVICE_CLIENT_SECRET: 'the secret of the first administrator' };
    const service = async (...args: string[]) => {
      const env = { PATH: process.env.PATH, HOME: home, SERVICE_CLOUD_URL: await cloud.url(), ...client };
      return (await promisify(execFile)(process.execPath, [PROGRAM, ...args], { env })).stdout;
    };
    const { kid } = JSON.parse(await service('cloud', 'rotate-keys', '--revoke', '--json'));
    const url = await agent.url();
    await until(async () => {
      const { keys } = JSON.parse(await service('agent', 'status', '--url', url, '--json'));
      expect(keys).toEqual({ signed_by: kid, trusted: [kid], pinned: false });
    });
    const { revision } = await admin.state();
    const text = await service('agent', 'status', '--url', url);
    expect(text).toMatch(
      new RegExp(
        `^agent +${url}\nbundles +the cloud at ${await cloud.url()}/?\nstatus +ok\n[^]*revision +${revision}\n[^]*last error +none\n$`,
      ),
    );
    await expect(service('agent', 'status', '--url', await cloud.url())).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is not an agent: give the address of an agent with --url/),
    });
  });

  it('goes on when its key is taken away, and says which setting to look at', async () => {
    const { agent, keyId } = await start(admin, 'refused');
    await agent.healthy(({ status }) => status === 'ok');
    await admin.records('api_key').delete(keyId);
    await agent.healthy(({ status }) => status === 'degraded');
    expect(await agent.allows('alice')).toBe(true);
    expect((await agent.logged(({ level }) => level === 'WARN')).error).toMatch(/401.*SERVICE_API_KEY/);
  });

  it('answers for the chosen tenant from the bundle of an operator', async () => {
    const made = await admin.tenants.create({ name: 'other' });
    const credentials = { clientId: made.client_id, clientSecret: made.client_secret };
    await holdInvoices(new ServiceClient({ url: await cloud.url(), credentials }));
    const operator = { name: 'operator', scopes: ['bundle' as const], operator: true };
    const { secret } = await admin.records('api_key').create(operator);
    const key = { SERVICE_API_KEY: String(secret) };

    const unsure = (await start(admin, 'unsure', key)).agent;
    expect((await unsure.logged(({ level }) => level === 'WARN')).error).toMatch(/several tenants.*SERVICE_TENANT_ID/);
    const { agent } = await start(admin, 'chosen', { ...key, SERVICE_TENANT_ID: made.id });
    await agent.healthy(({ status }) => status === 'ok');
    expect(await agent.allows('alice')).toBe(true);
  });

  it('is ready from its cache after a restart while the cloud is gone', async () => {
    const { agent: first, apiKey } = await start(admin, 'restarted');
    const { bundle_revision } = await first.healthy(({ status }) => status === 'ok');
    await first.kill();
    const { agent } = await start(admin, 'restarted', {
      SERVICE_API_KEY: apiKey,
      SERVICE_CLOUD_URL: 'http://127.0.0.1:9',
    });
    expect(await agent.healthy(({ status }) => status === 'degraded')).toMatchObject({ bundle_revision });
    expect(await agent.allows('alice')).toBe(true);
    expect(await agent.allows('bob')).toBe(false);
  });
});
