import { once } from 'node:events';
import type { Stats } from 'node:fs';
import { lstat, rm, stat } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { dirname } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';
import type { ListenAddr } from '../config/listen-addr.js';

/** The longest path of a socket, in bytes, that all systems take. Node cuts a longer one, and would listen elsewhere. */
const PATH_MAX = 103;

/**
 * Lets a server listen, and resolves with where it does: with the actual port. Rejects if that is taken, and with
 * `invalid_config` for a path at which no socket can be.
 */
export async function listen(server: Server, address: ListenAddr): Promise<ListenAddr> {
  if ('path' in address) await checkPath(address.path);
  try {
    return await bound(server, address);
  } catch (error) {
    const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (!taken || !('path' in address) || !(await isAbandoned(address.path))) throw error;
    await rm(address.path, { force: true });
    return await bound(server, address);
  }
}

async function bound(server: Server, address: ListenAddr): Promise<ListenAddr> {
  server.listen(address);
  await once(server, 'listening');
  if ('path' in address) return address;
  const { address: host, port } = server.address() as AddressInfo;
  return { host, port };
}

async function checkPath(path: string): Promise<void> {
  const refused = (fault: string) => new ProblemError('invalid_config', `SERVICE_LISTEN_ADDR: ${fault}`);
  const length = Buffer.byteLength(path);
  if (length > PATH_MAX) {
    throw refused(`the path "${path}" has ${length} bytes, a socket's has at most ${PATH_MAX}: give a shorter one.`);
  }
  const folder = dirname(path);
  if (!(await kindOf(stat, folder))?.isDirectory()) throw refused(`there is no folder "${folder}": make it first.`);
  const there = await kindOf(lstat, path);
  if (there !== undefined && !there.isSocket()) {
    throw refused(`"${path}" is there and is no socket: give another path, or remove it.`);
  }
}

/** Returns the kind of what a path names; undefined if nothing can be found there. */
async function kindOf(look: typeof stat, path: string): Promise<Stats | undefined> {
  return await look(path).catch(() => undefined);
}

/** Whether a path is that of a socket at which nobody listens any more, as a process leaves it that was killed. */
async function isAbandoned(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    return ['ECONNREFUSED', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '');
  } finally {
    socket.destroy();
  }
}
