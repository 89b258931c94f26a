import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import type { CloudBench } from './cli/workbench.js';
import { Workbench } from './cli/workbench.js';
import { PROVIDER } from './terraform/product.js';
import { hasTerraform, Workspace } from './terraform/workspace.js';

/** Only the proxy knows the way to this name. */
const HOST = 'cloud.test';
const USER = 'agent:hunter2';

let dir: string;
let bench: Workbench;
let cloud: CloudBench;
let tls: Server;
let proxy: Server;
/** The targets that the proxy was asked for, with the credentials that it was shown. */
let asked: string[];
/** The status with which it refuses tunnels. */
let refusing: number | undefined;
const agents: AgentProcess[] = [];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'proxies-'));
  bench = await Workbench.create();
  cloud = await bench.startCloud();
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const args = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-subj',
    `/CN=${HOST}`,
  ];
  execFileSync('openssl', [...args, '-addext', `subjectAltName=DNS:${HOST}`, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  const { port: cloudPort } = new URL(cloud.url);
  const passOn = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { method, url: path, headers } = incoming;
    const passed = request({ host: '127.0.0.1', port: cloudPort, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    incoming.pipe(passed);
  };
  // The encrypted side of the cloud, as a reverse proxy gives it.
  tls = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, passOn);
  await once(tls.listen(0, '127.0.0.1'), 'listening');
  const { port } = tls.address() as AddressInfo;
  asked = [];
  proxy = createServer((incoming, response) => {
    const { origin, pathname, search } = new URL(incoming.url ?? '');
    asked.push(`${origin} ${incoming.headers['proxy-authorization']}`);
    if (refusing !== undefined) return response.writeHead(refusing).end();
    incoming.url = pathname + search;
    passOn(incoming, response);
  }).on('connect', (incoming, socket) => {
    asked.push(`${incoming.url} ${incoming.headers['proxy-authorization']} ${incoming.headers.authorization}`);
    socket.on('error', () => {});
    if (refusing !== undefined) return socket.end(`HTTP/1.1 ${refusing} Refused\r\nContent-Length: 0\r\n\r\n`);
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('close', () => target.destroy());
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.kill();
  refusing = undefined;
  asked = [];
});
afterAll(async () => {
  for (const server of [proxy, tls]) {
    server.closeAllConnections();
    server.close();
  }
  await bench.close();
  rmSync(dir, { recursive: true, force: true });
});

const url = `https://${HOST}`;
const through = () => ({
  HTTPS_PROXY: `http://${USER}@127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  HTTP_PROXY: `http://${USER}@127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  NODE_EXTRA_CA_CERTS: join(dir, 'cert.pem'),
});
const TUNNEL = `${HOST}:443 Basic ${btoa(USER)} undefined`;

async function agentOf(env: Record<string, string>): Promise<AgentProcess> {
  const tenant = await cloud.tenant();
  const { secret } = await bench.json<{ secret: string }>(['keys', 'create', 'agent', '--scope', 'bundle'], {
    env: tenant,
  });
  const agent = new AgentProcess({
    env: agentEnv(mkdtempSync(join(dir, 'agent-')), url, {
      SERVICE_API_KEY: secret,
      SERVICE_POLL_INTERVAL: '100ms',
      ...env,
    }),
  });
  agents.push(agent);
  return agent;
}

describe('the proxy of the environment', () => {
  it('leads the agent to the cloud, which alone sees the key', async () => {
    const agent = await agentOf(through());
    await agent.healthy(({ status }) => status === 'ok');
    expect(new Set(asked)).toEqual(new Set([TUNNEL]));
  });

  it('leads the agent to an http address, too', async () => {
    const agent = await agentOf({ ...through(), SERVICE_CLOUD_URL: `http://${HOST}` });
    await agent.healthy(({ status }) => status === 'ok');
    expect(new Set(asked)).toEqual(new Set([`http://${HOST} Basic ${btoa(USER)}`]));
  });

  it.each([
    [401, url, 'HTTPS_PROXY'],
    [407, `http://${HOST}`, 'HTTP_PROXY'],
  ])(
    'is named where it answers %i for %s, without its password, and its answer is nobody else’s',
    async (status, address, setting) => {
      refusing = status;
      const agent = await agentOf({ ...through(), SERVICE_CLOUD_URL: address, SERVICE_LOG_LEVEL: 'trace' });
      const { last_error: error } = await until(async () => {
        const now = (await (await agent.get('/v1/status')).json()) as { last_error: { code: string; detail: string } };
        expect(now.last_error).not.toBeNull();
        return now;
      });
      expect(error.code).toBe('network');
      expect(error.detail).toBe(
        `The proxy ${new URL(through().HTTP_PROXY).origin} answered ${status} instead of leading to ${address}: check ${setting}, or name the host in NO_PROXY.`,
      );
      expect(JSON.stringify(agent.log) + agent.noise).not.toContain('hunter2');
    },
  );

  it('leads the CLI to the cloud', async () => {
    const tenant = await cloud.tenant();
    const env = { ...tenant, SERVICE_CLOUD_URL: url, ...through() };
    expect(await bench.json(['whoami'], { env })).toHaveProperty('tenant');
    expect(new Set(asked)).toEqual(new Set([TUNNEL]));
    refusing = 407;
    const { code, stderr } = await bench.run(['whoami'], { env });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/the proxy 127\.0\.0\.1:\d+ answered 407/)]);
    expect(stderr).not.toContain('hunter2');
  });

  it.skipIf(!hasTerraform)('leads the Terraform provider to the cloud', async () => {
    const tenant = await cloud.tenant();
    const env = { ...tenant, SERVICE_CLOUD_URL: url, ...through() };
    const workspace = new Workspace({ providers: { service: PROVIDER }, env });
    try {
      workspace.write('resource "service_group" "one" {\n  name = "one"\n}');
      await workspace.apply();
      expect(new Set(asked)).toEqual(new Set([TUNNEL]));
    } finally {
      workspace.remove();
    }
  });

  it('is not asked for this machine, nor for what NO_PROXY names', async () => {
    const tenant = await cloud.tenant();
    expect(await bench.json(['whoami'], { env: { ...tenant, ...through() } })).toHaveProperty('tenant');
    const agent = await agentOf({ ...through(), SERVICE_CLOUD_URL: cloud.url });
    await agent.healthy(({ status }) => status === 'ok');
    const beside = { ...tenant, SERVICE_CLOUD_URL: url, ...through(), NO_PROXY: HOST };
    expect((await bench.run(['whoami'], { env: beside })).stderr).toMatch(/ENOTFOUND|EAI_AGAIN/);
    expect(asked).toEqual([]);
  });
});
