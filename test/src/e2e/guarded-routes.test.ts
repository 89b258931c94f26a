import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TcpProxy } from '../faults/tcp-proxy.js';
import { AgentProcess, agentEnv } from './agent/agent-process.js';
import { Workbench } from './cli/workbench.js';
import { ExampleProcess } from './example-process.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const routes = join(root, 'examples/guarded-routes');

/*
 * The examples as a user starts them, in front of an agent that a cloud feeds with the tenant of the README. What stands
 * between example and agent can be cut.
 */
let bench: Workbench;
let agent: AgentProcess;
let network: TcpProxy;

beforeAll(async () => {
  bench = await Workbench.create();
  const cloud = await bench.startCloud();
  const admin = await cloud.tenant('guarded');
  await bench.json(['apply', join(root, 'examples/tenant'), '--yes'], { env: admin });
  const { secret } = await bench.json<{ secret: string }>(['keys', 'create', 'agent', '--scope', 'bundle'], {
    env: admin,
  });
  agent = new AgentProcess({
    env: agentEnv(bench.folder, cloud.url, { SERVICE_API_KEY: secret, SERVICE_CACHE_DIR: bench.path('bundles') }),
  });
  await agent.healthy(({ status }) => status === 'ok');
  const url = new URL(await agent.url());
  network = await TcpProxy.start(() => url);
});
afterAll(async () => {
  await network?.stop();
  await agent?.kill();
  await bench.close();
});

describe.each([
  ['Express', 'express/main.mjs'],
  ['Fastify', 'fastify/main.mjs'],
  ['Nest', 'nest/dist/main.js'],
])('an invoice behind %s', (_, program) => {
  let example: ExampleProcess;
  beforeAll(async () => {
    example = await ExampleProcess.start(join(routes, program), { AUTHZ_URL: network.url, PORT: '0' });
  });
  afterAll(() => example?.stop());

  const ask = async (user?: string): Promise<[status: number, body: string]> => {
    const headers: Record<string, string> = user === undefined ? {} : { 'x-user': user };
    const answer = await fetch(`${example.url}/invoices/INV-1`, { headers });
    return [answer.status, await answer.text()];
  };

  it('is shown to those who may read it', async () => {
    expect(await ask('alice')).toEqual([200, '{"invoice":"INV-1"}']);
  });

  it.each([['mallory'], [undefined]])('is not shown to %s', async (user) => {
    const [status, body] = await ask(user);
    expect(status).toBe(403);
    expect(body).not.toContain('INV-1');
  });

  it.each([
    ['is away', () => network.refuse()],
    ['is slow', () => network.cut()],
  ])('is shown to nobody while the agent %s, and again when it is back', async (_name, disturb) => {
    disturb();
    try {
      const [status, body] = await ask('alice');
      expect(status).toBe(503);
      expect(body).not.toContain('"invoice"');
    } finally {
      network.heal();
    }
    expect((await ask('alice'))[0]).toBe(200);
  });
});

it('is the guarded route of the README', () => {
  const readme = readFileSync(join(root, 'sdk/node/README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, block]) => block);
  expect(blocks).toEqual([readFileSync(join(routes, 'express/main.mjs'), 'utf8')]);
});
