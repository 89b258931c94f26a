import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { type RunningAgent, startAgent } from '@authz-service/agent/agent';
import { loadConfig } from '@authz-service/agent/config';
import { LineWriter } from '@authz-service/agent/line-writer';
import { createLog } from '@authz-service/agent/log';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { loadConformance } from './load.js';
import { askCases, type HeldTenant, holdTenant, tally } from './over-http.js';

const tenants = loadConformance();
let cloud: TestCloud;
let home: string;
beforeAll(async () => {
  cloud = await TestCloud.start();
  home = await mkdtemp(join(tmpdir(), 'conformance-agent-'));
});
afterAll(async () => {
  await cloud.close();
  await rm(home, { recursive: true, force: true });
  console.info(tally(tenants, 'agent'));
});

describe.each(tenants.map((tenant, at) => ({ tenant, at, title: `${tenant.file}: ${tenant.about}` })))(
  '$title',
  ({ tenant, at }) => {
    let held: HeldTenant;
    let agent: RunningAgent;
    beforeAll(async () => {
      held = await holdTenant(cloud, `tenant-${at}`, tenant);
      const { secret } = await held.client.records('api_key').create({ name: 'agent', scopes: ['bundle'] });
      agent = await agentOf(secret, `tenant-${at}`);
    });
    afterAll(() => agent?.stop());
    askCases(tenant, () => ({ ...held, asked: new ServiceClient({ url: agent.url }) }));
  },
);

/** An agent that has pulled the tenant's bundle from the cloud. */
async function agentOf(apiKey: string, name: string): Promise<RunningAgent> {
  const { config, faults } = loadConfig({
    env: {
      HOME: home,
      SERVICE_API_KEY: apiKey,
      SERVICE_CLOUD_URL: cloud.url,
      SERVICE_LISTEN_ADDR: '127.0.0.1:0',
      SERVICE_CACHE_DIR: join(home, name),
    },
    cwd: home,
  });
  if (config === undefined) expect.fail(faults.join('\n'));
  const silent = new LineWriter(new Writable({ write: (_chunk, _encoding, done) => done() }));
  const agent = await startAgent(config, { log: createLog(config.logLevel, silent), decisions: silent });
  await vi.waitUntil(async () => (await fetch(`${agent.url}/readyz`)).ok, { timeout: 10_000 });
  return agent;
}
