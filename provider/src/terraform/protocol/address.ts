import { mkdtempSync, rmdirSync, unlinkSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The longest path of a Unix socket that works on every system (`sun_path`), without its final zero byte. */
const SOCKET_PATH_MAX = 103;

/** The address on which the plugin listens, in the format of the handshake line. */
export interface Listening {
  network: 'unix' | 'tcp';
  address: string;
  /** Removes the socket. */
  remove(): void;
}

function listen(server: Server, target: { path: string } | { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(target, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Makes a private folder whose path is short enough for the socket: in TMPDIR if possible, otherwise in /tmp. */
function socketFolder(): string | undefined {
  for (const parent of new Set([tmpdir(), '/tmp'])) {
    if (Buffer.byteLength(join(parent, 'service-XXXXXX', 's')) > SOCKET_PATH_MAX) continue;
    try {
      return mkdtempSync(join(parent, 'service-'));
    } catch {
      // The folder cannot be written to; the next one or TCP is tried.
    }
  }
  return undefined;
}

/** Makes two system calls, because removing a folder recursively takes Node a millisecond. */
function removeSocket(folder: string, path: string): void {
  for (const remove of [() => unlinkSync(path), () => rmdirSync(folder)]) {
    try {
      remove();
    } catch {
      // The socket was never created, or it has been removed already.
    }
  }
}

/** Listens on a Unix socket in a folder of its own, or, if that fails, on a port of the loopback address. */
export async function listenForTerraform(server: Server, env: NodeJS.ProcessEnv): Promise<Listening> {
  const folder = process.platform === 'win32' ? undefined : socketFolder();
  if (folder !== undefined) {
    const path = join(folder, 's');
    try {
      await listen(server, { path });
      return { network: 'unix', address: path, remove: () => removeSocket(folder, path) };
    } catch {
      removeSocket(folder, path);
    }
  }
  const port = await listenOnPort(server, Number(env.PLUGIN_MIN_PORT ?? 0), Number(env.PLUGIN_MAX_PORT ?? 0));
  return { network: 'tcp', address: `127.0.0.1:${port}`, remove: () => {} };
}

/** The first free port of the range, or any port if there is no range. */
async function listenOnPort(server: Server, first: number, last: number): Promise<number> {
  for (let port = first; ; port++) {
    try {
      await listen(server, { host: '127.0.0.1', port });
      const bound = server.address();
      return typeof bound === 'object' && bound !== null ? bound.port : port;
    } catch (error) {
      if (port >= last) throw error;
    }
  }
}
