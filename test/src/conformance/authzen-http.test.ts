import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningAgent } from '@authz-service/agent/agent';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { startReadyAgent } from './agent-of-cloud.js';
import { askingBySdk } from './asking-by-sdk.js';
import { type AskAuthzen, check, loadAuthzen } from './authzen-cases.js';
import { type HeldTenant, holdTenant } from './over-http.js';

let cloud: TestCloud;
let home: string;
beforeAll(async () => {
  cloud = await TestCloud.start();
  home = await mkdtemp(join(tmpdir(), 'authzen-agent-'));
});
afterAll(async () => {
  await cloud.close();
  await rm(home, { recursive: true, force: true });
});

const asking =
  (url: string, credential?: string): AskAuthzen =>
  async (path, body) => {
    const response = await fetch(`${url}/access/v1/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };

describe.each(loadAuthzen().map((tenant, at) => ({ tenant, at, title: `${tenant.file}: ${tenant.about}` })))(
  '$title',
  ({ tenant, at }) => {
    let held: HeldTenant;
    let agent: RunningAgent;
    const asks: Record<string, AskAuthzen> = {};
    beforeAll(async () => {
      held = await holdTenant(cloud, `authzen-${at}`, tenant);
      const key = async (name: string, scope: 'decisions' | 'bundle') =>
        (await held.client.records('api_key').create({ name, scopes: [scope] })).secret;
      agent = await startReadyAgent(cloud.url, await key('agent', 'bundle'), join(home, `tenant-${at}`));
      const apiKey = await key('caller', 'decisions');
      asks.cloud = asking(cloud.url, apiKey);
      asks.agent = asking(agent.url);
      asks['cloud, by the SDK'] = askingBySdk(new ServiceClient({ url: cloud.url, credentials: { apiKey } }));
      asks['agent, by the SDK'] = askingBySdk(new ServiceClient({ url: agent.url, discover: true }));
    });
    afterAll(() => agent?.stop());

    describe.each(['cloud', 'agent', 'cloud, by the SDK', 'agent, by the SDK'])('on the %s', (where) => {
      it.each(tenant.cases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
        const ask: AskAuthzen = (path, body) => asks[where]?.(path, body) ?? { status: 0, body: {} };
        await check(one, ask, (address) => held.idOf(address));
      });
    });
  },
);
