import { once } from 'node:events';
import { lstat, unlink } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { ListenAddr } from '../config/listen-addr.js';

/** Lets a server listen, and resolves with where it does: with the actual port. Rejects if that is taken. */
export async function listen(server: Server, address: ListenAddr): Promise<ListenAddr> {
  try {
    return await bound(server, address);
  } catch (error) {
    const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (!taken || !('path' in address) || !(await isAbandoned(address.path))) throw error;
    await unlink(address.path);
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

/** Whether a path is that of a socket at which nobody listens any more, as a process leaves it that was killed. */
async function isAbandoned(path: string): Promise<boolean> {
  if (!(await lstat(path)).isSocket()) return false;
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}
