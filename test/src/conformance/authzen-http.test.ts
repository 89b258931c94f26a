import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningAgent } from '@authz-service/agent/agent';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { TestCloud } from '../../../cloud/testing/test-cloud.js';
import { Asker, LANGUAGES, Unsayable } from '../sdk/asker.js';
import { startReadyAgent } from './agent-of-cloud.js';
import { askingBySdk } from './asking-by-sdk.js';
import { type AskAuthzen, check, loadAuthzen } from './authzen-cases.js';
import { type HeldTenant, holdTenant } from './over-http.js';

let cloud: TestCloud;
let home: string;
const askers: [string, Asker][] = [];
beforeAll(async () => {
  cloud = await TestCloud.start();
  home = await mkdtemp(join(tmpdir(), 'authzen-agent-'));
  for (const language of LANGUAGES) askers.push([language, await Asker.start(language)]);
});
afterAll(async () => {
  await Promise.all(askers.map(([, asker]) => asker.stop()));
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
      asks['cloud, by the Node SDK'] = askingBySdk(new ServiceClient({ url: cloud.url, credentials: { apiKey } }));
      asks['agent, by the Node SDK'] = askingBySdk(new ServiceClient({ url: agent.url, discover: true }));
      for (const [language, asker] of askers) {
        asks[`cloud, by the ${language} SDK`] = asker.asking({ url: cloud.url, apiKey });
        asks[`agent, by the ${language} SDK`] = asker.asking({ url: agent.url, discover: true });
      }
    });
    afterAll(() => agent?.stop());

    const bySdk = ['Node', ...LANGUAGES].flatMap((language) => [
      `cloud, by the ${language} SDK`,
      `agent, by the ${language} SDK`,
    ]);
    describe.each(['cloud', 'agent', ...bySdk])('on the %s', (where) => {
      for (const one of tenant.cases) {
        it(one.name, async ({ skip }) => {
          const ask: AskAuthzen = (path, body) => asks[where]?.(path, body) ?? { status: 0, body: {} };
          try {
            await check(one, ask, (address) => held.idOf(address));
          } catch (error) {
            skip(error instanceof Unsayable, 'the SDK has no such request');
            throw error;
          }
        });
      }
    });
  },
);
