import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningAgent } from '@authz-service/agent/agent';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, describe } from 'vitest';
import { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { startReadyAgent } from './agent-of-cloud.js';
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
      agent = await startReadyAgent(cloud.url, secret, join(home, `tenant-${at}`));
    });
    afterAll(() => agent?.stop());
    askCases(tenant, () => ({ ...held, asked: new ServiceClient({ url: agent.url }) }));
  },
);
