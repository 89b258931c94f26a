import { mkdtempSync, rmdirSync, unlinkSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The longest path of a Unix socket that can be connected to everywhere (`sun_path`), its final zero left out. */
const SOCKET_PATH_MAX = 103;

/** Where the plugin listens, as the handshake line says it. */
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

/** A private folder whose name leaves room for the socket's: that of TMPDIR, or else /tmp. */
function socketFolder(): string | undefined {
  for (const parent of new Set([tmpdir(), '/tmp'])) {
    if (Buffer.byteLength(join(parent, 'service-XXXXXX', 's')) > SOCKET_PATH_MAX) continue;
    try {
      return mkdtempSync(join(parent, 'service-'));
    } catch {
      // The folder cannot be written to; the next one, or else TCP.
    }
  }
  return undefined;
}

/** Two calls of the system: removing folders of any content takes Node a millisecond. */
function removeSocket(folder: string, path: string): void {
  for (const remove of [() => unlinkSync(path), () => rmdirSync(folder)]) {
    try {
      remove();
    } catch {
      // It was not made, or somebody has removed it already.
    }
  }
}

/** Listens on a Unix socket in a folder of its own; where none can be had, on a port of the loopback address. */
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

/** The first free port of the range, or any when there is no range. */
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
