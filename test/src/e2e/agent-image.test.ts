import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { ScriptedCloud } from './agent/scripted-cloud.js';
import { bundleOf, tenant } from './agent/tenant-fixture.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const hasBubblewrap = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-user', 'true']).status === 0;
if (!hasBubblewrap) console.warn("NOT TESTED: the agent's image, for want of bubblewrap (bwrap)");

/** The most that the image may take, unpacked. */
const BYTES_MAX = 130e6;
const containerfile = readFileSync(join(root, 'deploy/containers/agent.Containerfile'), 'utf8');
const listed = (instruction: RegExp) => JSON.parse(instruction.exec(containerfile)?.[1] ?? '[]') as string[];
const ENTRYPOINT = listed(/^ENTRYPOINT (.*)$/m);
const HEALTH_CHECK = listed(/^HEALTHCHECK .*CMD (.*)$/m);
const [, USER = ''] = /^USER (\d+):\d+$/m.exec(containerfile) ?? [];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-image-'));
  mkdirSync(join(folder, 'data'));
  const made = spawnSync(process.execPath, ['scripts/image-root.mjs', 'agent', join(folder, 'root')], { cwd: root });
  expect(String(made.stderr)).toBe('');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The command that runs something in the image as its user, without capabilities, where only the data can be written. */
function contained(command: readonly string[]): string[] {
  return [
    ...['bwrap', '--ro-bind', join(folder, 'root'), '/', '--bind', join(folder, 'data'), '/data'],
    ...['--proc', '/proc', '--dev', '/dev', '--unshare-user', '--uid', USER, '--gid', USER, '--cap-drop', 'ALL'],
    ...['--unshare-ipc', '--unshare-uts', '--die-with-parent', ...command],
  ];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Ends the program itself: bubblewrap would end without waiting for it. */
function endProgram(pid: number | undefined): void {
  const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  process.kill(Number(child), 'SIGTERM');
}

describe("the agent's image", () => {
  it('holds Node, the program and certificates, and no shell', () => {
    expect(readdirSync(join(folder, 'root/bin'))).toEqual(['node']);
    const files = readdirSync(join(folder, 'root'), { recursive: true, withFileTypes: true });
    const sizes = files.filter((one) => one.isFile()).map((one) => statSync(join(one.parentPath, one.name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(BYTES_MAX);
  });

  it.skipIf(!hasBubblewrap)(
    'decides as its user on a root that cannot be written, and stops when it is told',
    async () => {
      const cloud = await ScriptedCloud.start();
      await cloud.serve(bundleOf(tenant({})));
      const address = `127.0.0.1:${await freePort()}`;
      const env = agentEnv(folder, cloud.url, {
        ...{ SERVICE_POLL_INTERVAL: '50ms', SERVICE_LISTEN_ADDR: address, SERVICE_CACHE_DIR: '/data' },
      });
      const healthy = async () => {
        const [file = '', ...args] = contained(HEALTH_CHECK);
        const [code] = await once(spawn(file, args, { env: { SERVICE_LISTEN_ADDR: address } }), 'exit');
        return code;
      };
      expect(await healthy()).toBe(1);
      const agent = new AgentProcess({ command: contained(ENTRYPOINT), env });
      try {
        await until(() => agent.healthy(({ status }) => status === 'ok'));
        expect(await agent.allows('alice')).toBe(true);
        expect(await healthy()).toBe(0);
        expect(readdirSync(join(folder, 'data'))).not.toEqual([]);
        endProgram(agent.pid);
        expect(await agent.exited).toMatchObject({ code: 0 });
      } finally {
        await agent.kill();
        await cloud.stop();
      }
    },
  );
});
