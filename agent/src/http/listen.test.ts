import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listen } from './listen.js';

let folder: string;
let path: string;
const servers: Server[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-listen-'));
  path = join(folder, 'agent.sock');
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true });
});

function server(): Server {
  const made = createServer();
  servers.push(made);
  return made;
}

it('says at which port it listens', async () => {
  const bound = await listen(server(), { host: '127.0.0.1', port: 0 });
  expect(bound).toEqual({ host: '127.0.0.1', port: expect.any(Number) });
  expect(bound).not.toHaveProperty('port', 0);
});

it('listens at a socket, which goes with it', async () => {
  const first = server();
  expect(await listen(first, { path })).toEqual({ path });
  first.close();
  await once(first, 'close');
  expect(existsSync(path)).toBe(false);
});

it('leaves another’s socket alone', async () => {
  await listen(server(), { path });
  await expect(listen(server(), { path })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect(existsSync(path)).toBe(true);
});

it('replaces the socket of a process that was killed', async () => {
  const program = join(folder, 'listen.mjs');
  writeFileSync(
    program,
    `import { createServer } from 'node:net'; createServer().listen(${JSON.stringify(path)}, () => process.send('on'));`,
  );
  const killed = fork(program);
  await once(killed, 'message');
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  expect(existsSync(path)).toBe(true);
  expect(await listen(server(), { path })).toEqual({ path });
});

it('replaces no file', async () => {
  writeFileSync(path, 'records');
  const detail = `SERVICE_LISTEN_ADDR: "${path}" is there and is no socket: give another path, or remove it.`;
  await expect(listen(server(), { path })).rejects.toMatchObject({ code: 'invalid_config', detail });
  expect(existsSync(path)).toBe(true);
});

it('listens at no path that the system would cut', async () => {
  const long = join(folder, 'a'.repeat(104 - folder.length - 1));
  await expect(listen(server(), { path: long })).rejects.toMatchObject({
    code: 'invalid_config',
    detail: `SERVICE_LISTEN_ADDR: the path "${long}" has 104 bytes, a socket's has at most 103: give a shorter one.`,
  });
  expect(readdirSync(folder)).toEqual([]);
  const longest = { path: long.slice(0, -1) };
  expect(await listen(server(), longest)).toEqual(longest);
  expect(existsSync(longest.path)).toBe(true);
});

it('names the folder that is missing', async () => {
  await expect(listen(server(), { path: join(path, 'agent.sock') })).rejects.toMatchObject({
    detail: `SERVICE_LISTEN_ADDR: there is no folder "${path}": make it first.`,
  });
});
