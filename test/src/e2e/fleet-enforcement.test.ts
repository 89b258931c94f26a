import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { AgentList } from '@authz-service/sdk/wire';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hasPostgres, PostgresServer } from '../../../cloud/testing/postgres-server.js';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { Workbench } from './cli/workbench.js';
import { ADMINISTRATOR, bootstrapEnv, CloudProcess } from './cloud/cloud-process.js';

let server: PostgresServer | undefined;
afterAll(() => server?.stop());

const STORES: { store: string; clouds: number }[] = [
  { store: 'SQLite', clouds: 1 },
  ...(hasPostgres ? [{ store: 'PostgreSQL', clouds: 3 }] : []),
];

describe.each(STORES)('the fleet of $clouds cloud(s) on $store', ({ store, clouds: count }) => {
  let home: string;
  let bench: Workbench;
  let env: Record<string, string>;
  let clouds: CloudProcess[];
  let agents: AgentProcess[];
  let admin: ServiceClient;
  let secret: string;

  const start = () => {
    clouds = Array.from({ length: count }, () => new CloudProcess(join(home, 'cloud'), env));
  };
  const startAgent = async (name: string, cloud: number) => {
    const url = (await clouds[cloud % count]?.url()) ?? '';
    const headers = { authorization: `Bearer ${secret}` };
    // A replica hears of the key a moment after it was made; an agent that it refuses asks again only after half a minute.
    await until(async () => expect((await fetch(`${url}/v1/whoami`, { headers })).status).toBe(200));
    const own = { SERVICE_API_KEY: secret, SERVICE_CACHE_DIR: join(home, name) };
    const agent = new AgentProcess({ env: agentEnv(home, url, own) });
    agents.push(agent);
    await agent.healthy(({ status }) => status === 'ok');
    return agent;
  };
  const through = async (cloud: number) => ({
    SERVICE_CLOUD_URL: (await clouds[cloud % count]?.url()) ?? '',
    SERVICE_CLIENT_ID: ADMINISTRATOR.clientId,
    SERVICE_CLIENT_SECRET: ADMINISTRATOR.clientSecret,
  });
  const tree = (...roles: string[]) =>
    bench.write({ 'tenant/a.yaml': `version: 1\nroles:\n${roles.map((name) => `  ${name}: {}\n`).join('')}` });
  const apply = async (code: number, timeout = '60s') => {
    const args = ['apply', 'tenant', '--yes', '--wait=enforced', '--timeout', timeout];
    return await bench.json<{ revision: string; enforced: boolean; agents: number; behind?: AgentList['agents'] }>(
      args,
      {
        env: await through(0),
        code,
      },
    );
  };

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'fleet-'));
    bench = await Workbench.create();
    agents = [];
    env = bootstrapEnv();
    if (store === 'PostgreSQL') {
      server ??= await PostgresServer.start();
      env.DATABASE_URL = await server.database();
    }
    start();
    admin = (await clouds[0]?.client()) as ServiceClient;
    const made = await admin.records('api_key').create({ name: 'fleet', scopes: ['bundle'] });
    secret = String(made.secret);
  }, 60_000);
  afterEach(async () => {
    await Promise.all([...agents, ...clouds].map((one) => one.kill()));
    await bench.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('is waited for by apply, until all enforce, one is named that does not, and that one is retired', async () => {
    const [, frozen] = [await startAgent('one', 0), await startAgent('two', 1), await startAgent('three', 2)];
    await tree('first');
    const done = await apply(0);
    expect(done).toMatchObject({ enforced: true, agents: 3 });
    for (const agent of agents) expect((await agent.health()).bundle_revision).toBe(done.revision);

    process.kill(frozen?.pid ?? 0, 'SIGSTOP');
    await tree('first', 'second');
    const late = await apply(3, '3s');
    expect(late).toMatchObject({ enforced: false, agents: 3, behind: [{ revision: done.revision, enforces: false }] });
    const id = late.behind?.[0]?.id ?? '';
    const plain = await bench.run(['apply', 'tenant', '--yes', '--wait=enforced', '--timeout', '1s'], {
      env: await through(0),
    });
    expect(plain).toMatchObject({ code: 3, stderr: expect.stringContaining(id) });
    expect(plain.stdout).toContain('Nothing to do');
    expect(plain.stdout).toContain('1 of 3 agents may decide by an earlier revision');

    const elsewhere = await through(1);
    expect(await bench.json(['agents', 'retire', id], { env: elsewhere })).toEqual({ retired: 1 });
    for (const unknown of [[id], ['--credential', 'nobody']]) {
      const again = await bench.run(['agents', 'retire', ...unknown], { env: elsewhere });
      expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining(`"${unknown.at(-1)}"`) });
    }
    expect(await apply(0)).toMatchObject({ enforced: true, agents: 2, revision: late.revision });
    const events = await bench.json<{ items: object[] }>(['audit', '--tenants'], { env: elsewhere });
    expect(events.items[0]).toMatchObject({ op: 'retire', agent: id });

    process.kill(frozen?.pid ?? 0, 'SIGCONT');
    await until(async () => expect(await admin.agents()).toMatchObject({ total: 3, enforcing: 3 }));
  }, 120_000);

  it('is waited for by apply though the cloud ends and starts again meanwhile', async () => {
    const agent = await startAgent('one', 0);
    await tree('first');
    await apply(0);
    process.kill(agent.pid ?? 0, 'SIGSTOP');
    const ports = await Promise.all(clouds.map(async (cloud) => Number(new URL(await cloud.url()).port)));
    await tree('first', 'second');
    const before = (await admin.state()).revision;
    const applying = apply(0, '100s');
    await until(async () => expect((await admin.state()).revision).not.toBe(before));
    await Promise.all(clouds.map((cloud) => cloud.kill()));
    clouds = ports.map((port) => new CloudProcess(join(home, 'cloud'), env, { port }));
    await Promise.all(clouds.map((cloud) => cloud.url()));
    process.kill(agent.pid ?? 0, 'SIGCONT');
    const done = await applying;
    expect(done).toMatchObject({ enforced: true, agents: 1 });
    expect((await agent.health()).bundle_revision).toBe(done.revision);
  }, 150_000);

  it('is known to a cloud that starts anew, though its agents are gone', async () => {
    const agent = await startAgent('one', 0);
    await until(async () => expect(await admin.agents()).toMatchObject({ enforced: true, total: 1 }));
    await agent.kill();
    await Promise.all(clouds.map((cloud) => cloud.kill()));
    start();
    await tree('first');
    expect(await apply(3, '1s')).toMatchObject({ enforced: false, behind: [{ error: null }] });
  }, 60_000);

  it.runIf(store === 'PostgreSQL')(
    'is not kept young by a cloud that does not hear of its database, which refuses requests with a maximum age, too',
    async () => {
      const url = (await clouds[0]?.url()) ?? '';
      const poll = async (report: string) => {
        const headers = { authorization: `Bearer ${secret}`, 'service-agent': report };
        return (await fetch(`${url}/v1/policies/bundle`, { headers })).status;
      };
      expect([await poll('id=a&max_age=60'), await poll('id=b')]).toEqual([200, 200]);
      const may = { subject: { type: 'user', id: 'a' }, action: { name: 'x' }, resource: { type: 't', name: 'r' } };
      const { secret: asks } = await admin.records('api_key').create({ name: 'asks', scopes: ['decisions'] });
      const decide = async (maxAge: Record<string, string>) => {
        const headers = { authorization: `Bearer ${asks}`, 'content-type': 'application/json', ...maxAge };
        return (await fetch(`${url}/v1/authorize`, { method: 'POST', headers, body: JSON.stringify(may) })).status;
      };
      expect([await decide({}), await decide({ 'service-max-age': '0' })]).toEqual([200, 200]);
      await server?.stop();
      server = undefined;
      const patiently = { timeout: 30_000, interval: 200 };
      await vi.waitFor(async () => expect(await poll('id=a&max_age=60')).toBe(503), patiently);
      expect(await poll('id=b')).toBe(200);
      expect([await decide({}), await decide({ 'service-max-age': '2' })]).toEqual([200, 503]);
    },
    60_000,
  );
});
