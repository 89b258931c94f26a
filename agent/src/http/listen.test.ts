import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
  await expect(listen(server(), { path })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect(existsSync(path)).toBe(true);
});
