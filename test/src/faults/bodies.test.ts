import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv } from '../e2e/agent/agent-process.js';
import { CloudProcess } from '../e2e/cloud/cloud-process.js';
import { TENANT } from './fuzz/decisions.js';
import { peakMib } from './memory.js';

const MIB = 1024 * 1024;
/** Room for garbage that is not collected yet. */
const GARBAGE_MIB = 150;

let dir: string;
let cloud: CloudProcess;
let agent: AgentProcess;
/** The head of a request that both take; the agent overlooks the key. */
let head: string;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'bodies-'));
  cloud = new CloudProcess(join(dir, 'cloud'));
  const admin = await cloud.client();
  await admin.changeset({ changes: TENANT });
  const { secret } = await admin.records('api_key').create({ name: 'agent', scopes: ['bundle', 'decisions'] });
  agent = new AgentProcess({ env: agentEnv(dir, await cloud.url(), { SERVICE_API_KEY: String(secret) }) });
  await agent.healthy(({ status }) => status === 'ok');
  head = `POST /v1/authorize HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAuthorization: Bearer ${secret}\r\n`;
});
afterEach(async () => {
  await agent?.kill();
  await cloud?.kill();
  rmSync(dir, { recursive: true, force: true });
});

async function connection(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

async function statusOf(socket: Socket): Promise<number> {
  return Number(/ (\d+) /.exec(String((await once(socket, 'data'))[0]))?.[1]);
}

describe.runIf(process.platform === 'linux').each([
  ['the agent', () => agent],
  ['the cloud', () => cloud],
])('%s holds', (_, server) => {
  const grown = async (work: (url: string) => Promise<void>) => {
    const before = peakMib(server().pid) ?? 0;
    await work(await server().url());
    return (peakMib(server().pid) ?? 0) - before;
  };

  it('no more than its bytes of a body that comes in the smallest pieces', async () => {
    const growth = await grown(async (url) => {
      const socket = await connection(url);
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(MIB)}0\r\n\r\n`);
      expect(await statusOf(socket)).toBe(400);
      socket.destroy();
    });
    expect(growth).toBeLessThan(GARBAGE_MIB);
  });

  it('nothing of a body once it has answered, while the connection lasts', async () => {
    const growth = await grown(async (url) => {
      const sockets: Socket[] = [];
      for (let count = 0; count < 2 * GARBAGE_MIB; count++) {
        const socket = await connection(url);
        sockets.push(socket);
        socket.write(`${head}Content-Length: ${MIB}\r\n\r\n${'x'.repeat(MIB)}`);
        expect(await statusOf(socket)).toBe(400);
      }
      for (const socket of sockets) socket.destroy();
    });
    expect(growth).toBeLessThan(GARBAGE_MIB);
  });
});
