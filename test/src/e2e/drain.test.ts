import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres, PostgresServer } from '../../../cloud/testing/postgres-server.js';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { ScriptedCloud } from './agent/scripted-cloud.js';
import { asking, bundleOf, tenant } from './agent/tenant-fixture.js';
import { bootstrapEnv, CloudProcess } from './cloud/cloud-process.js';

const HAPROXY = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/usr/bin/haproxy'].find(existsSync);

let home: string;
let scripted: ScriptedCloud;
let ends: (() => unknown)[];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'drain-'));
  scripted = await ScriptedCloud.start();
  await scripted.serve(bundleOf(tenant({})));
  ends = [() => scripted.stop(), () => rmSync(home, { recursive: true, force: true })];
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Program = AgentProcess | CloudProcess;

/** A cloud or an agent at a port that has its bundle. */
async function started(program: 'cloud' | 'agent', drainTime: string, port = 0, more = {}): Promise<Program> {
  const dir = mkdtempSync(join(home, 'of-'));
  const env = { SERVICE_DRAIN_TIME: drainTime, ...more };
  if (program === 'cloud') {
    const cloud = new CloudProcess(dir, { ...bootstrapEnv(), ...env }, { port });
    ends.push(() => cloud.kill());
    await cloud.url();
    return cloud;
  }
  const agent = new AgentProcess({
    env: agentEnv(dir, scripted.url, { SERVICE_LISTEN_ADDR: `127.0.0.1:${port}`, ...env }),
  });
  ends.push(() => agent.kill());
  if (port === 0) await agent.url();
  await until(async () => expect((await agent.get('/readyz')).status).toBe(200));
  return agent;
}

describe.each(['cloud', 'agent'] as const)('the %s', (program) => {
  it('says on SIGTERM that it is not ready, answers all else, and ends at once with a second signal', async () => {
    const running = await started(program, '10m');
    const url = await running.url();
    running.signal('SIGTERM');
    const refused = await until(async () => {
      const ready = await fetch(`${url}/readyz`);
      expect(ready.status).toBe(503);
      return await ready.text();
    });
    expect(refused).toContain('It was told to stop and will close its port: send new requests elsewhere.');
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    const path = program === 'cloud' ? '/openapi.json' : '/v1/status';
    const answer = await fetch(url + path);
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    running.signal('SIGTERM');
    expect(await running.exited).toEqual({ code: 143, signal: null });
  });

  it('does not wait on SIGINT', async () => {
    const running = await started(program, '10m');
    running.signal('SIGINT');
    expect(await running.exited).toEqual({ code: 0, signal: null });
  });
});

async function freePort(): Promise<number> {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await new Promise((resolve) => other.close(resolve));
  return port;
}

/** HAProxy with active checks before these ports. It never sends a request a second time. */
class Balancer {
  private constructor(readonly port: number) {}

  static async before(ports: readonly number[]): Promise<Balancer> {
    const port = await freePort();
    const servers = ports.map((one) => `  server s${one} 127.0.0.1:${one} check inter 100ms fall 1 rise 1`);
    const lines = [
      'defaults',
      '  mode http',
      '  retries 0',
      '  timeout connect 5s',
      '  timeout client 60s',
      '  timeout server 60s',
      '  timeout check 10s',
      'frontend callers',
      `  bind 127.0.0.1:${port}`,
      '  stats enable',
      '  stats uri /servers',
      '  default_backend programs',
      'backend programs',
      '  option httpchk',
      '  http-check send meth GET uri /readyz',
      ...servers,
    ];
    const file = join(home, 'haproxy.cfg');
    writeFileSync(file, `${lines.join('\n')}\n`);
    const child: ChildProcess = spawn(HAPROXY ?? '', ['-db', '-f', file], { stdio: 'ignore' });
    ends.push(async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    });
    const balancer = new Balancer(port);
    for (const one of ports) await balancer.hasUp(one);
    return balancer;
  }

  async hasUp(port: number): Promise<void> {
    await until(async () => {
      const list = await (await fetch(`http://127.0.0.1:${this.port}/servers;csv`)).text();
      const line = list.split('\n').find((one) => one.startsWith(`programs,s${port},`));
      expect(line?.split(',')[17]).toBe('UP');
    });
  }
}

describe.skipIf(HAPROXY === undefined)('a rolling restart behind a load balancer', () => {
  /** Asks by several callers at once until `work` is done; counts the answers by status, or by what failed. */
  async function answersDuring(port: number, [path, body, headers]: Asked, work: () => Promise<void>) {
    const counts: Record<string, number> = {};
    const agent = new Agent({ keepAlive: true });
    let goesOn = true;
    const ask = (): Promise<string> =>
      new Promise((resolve) => {
        const asked = request({ port, path, agent, method: 'POST', headers }, async (response) => {
          await text(response);
          resolve(String(response.statusCode));
        });
        asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
        asked.end(body);
      });
    const caller = async () => {
      while (goesOn) {
        const outcome = await ask();
        counts[outcome] = (counts[outcome] ?? 0) + 1;
      }
    };
    const callers = Array.from({ length: 8 }, caller);
    await work().finally(() => {
      goesOn = false;
    });
    await Promise.all(callers);
    agent.destroy();
    return counts;
  }
  type Asked = [path: string, body: string, headers: Record<string, string>];

  async function restartsOf(program: 'cloud' | 'agent', asked: () => Promise<Asked>, more = {}): Promise<void> {
    const ports = [await freePort(), await freePort()];
    const running: Program[] = [];
    for (const port of ports) running.push(await started(program, '2s', port, more));
    const balancer = await Balancer.before(ports);
    const [path, body, headers] = await asked();
    for (const port of ports)
      await until(async () => {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, headers });
        expect(answer.status).toBe(200);
      });
    const counts = await answersDuring(balancer.port, [path, body, headers], async () => {
      for (const [index, port] of ports.entries()) {
        running[index]?.signal('SIGTERM');
        expect(await running[index]?.exited).toEqual({ code: 0, signal: null });
        await started(program, '2s', port, more);
        await balancer.hasUp(port);
      }
    });
    expect(counts).toEqual({ 200: expect.any(Number) });
  }

  const json = { 'content-type': 'application/json' };

  it('of agents loses no request', async () => {
    await restartsOf('agent', async () => ['/v1/authorize', asking('alice'), json]);
  });

  it.skipIf(!hasPostgres)('of replicas loses no request', async () => {
    const server = await PostgresServer.start();
    ends.push(() => server.stop());
    const env = { DATABASE_URL: await server.database() };
    const asked = async (): Promise<Asked> => {
      const first = await started('cloud', '0s', 0, env);
      const client = await (first as CloudProcess).client();
      const { secret } = await client.records('api_key').create({ name: 'caller', scopes: ['decisions'] });
      await (first as CloudProcess).kill();
      return ['/v1/authorize', asking('alice'), { ...json, authorization: `Bearer ${secret}` }];
    };
    await restartsOf('cloud', asked, env);
  });
});
