import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from '../e2e/agent/agent-process.js';
import { Asker, LANGUAGES } from './asker.js';
import { DecisionPoint } from './guarded-routes/decision-point.js';

const folder = mkdtempSync(join(tmpdir(), 'agent-socket-'));
const url = `unix://${join(folder, 'agent.sock')}`;
const question = (id: string) => ({
  subject: { type: 'user', id },
  action: { name: 'read' },
  resource: { type: 'invoice', id: 'INV-1' },
});

let point: DecisionPoint;
let agent: AgentProcess;
beforeAll(async () => {
  point = await DecisionPoint.start();
  const key = await (await point.cloud.client()).records('api_key').create({ name: 'socket', scopes: ['bundle'] });
  const env = { SERVICE_API_KEY: key.secret, SERVICE_LISTEN_ADDR: url };
  agent = new AgentProcess({ env: agentEnv(folder, await point.cloud.url(), env) });
  const client = new ServiceClient({ url, retries: 0 });
  await until(async () => expect(await client.isAllowed(question('alice'))).toBe(true));
});
afterAll(async () => {
  await Promise.all([agent?.kill(), point?.stop()]);
  rmSync(folder, { recursive: true });
});

describe('an agent at a unix socket', () => {
  it.each([false, true])('is asked by the Node SDK, with its metadata read: %s', async (discover) => {
    const client = new ServiceClient({ url, discover });
    expect(await client.isAllowed(question('alice'))).toBe(true);
    expect(await client.isAllowed(question('bob'))).toBe(false);
    expect(await client.agentStatus()).toMatchObject({ status: 'ok' });
    // More at once than a client has connections.
    const many = await Promise.all(Array.from({ length: 500 }, () => client.isAllowed(question('alice'))));
    expect(many.every((allowed) => allowed)).toBe(true);
  });

  it.each(LANGUAGES)('is asked by the %s SDK', async (language) => {
    const asker = await Asker.start(language);
    try {
      for (const discover of [false, true]) {
        const ask = asker.asking({ url, discover });
        expect((await ask('evaluation', question('alice'))).body).toMatchObject({ decision: true });
        expect((await ask('evaluation', question('bob'))).body).toMatchObject({ decision: false });
      }
    } finally {
      await asker.stop();
    }
  });
});
