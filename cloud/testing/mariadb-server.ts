import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { end, freePort, otherUser, type Running, start } from './own-server.js';

const program = (name: string) =>
  ['/usr/sbin', '/usr/bin', ...(process.env.PATH ?? '').split(':')]
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));

export const hasMariadb = program('mariadbd') !== undefined && program('mariadb-install-db') !== undefined;

/** A MariaDB server of a test's own, on a free port of the loopback address; its user `root` has no password. */
export class MariadbServer {
  private constructor(
    private readonly dir: string,
    readonly port: number,
    private readonly running: Running,
  ) {}

  /** `connects` tries to connect to a port; it rejects until the server answers. */
  static async start(connects: (port: number) => Promise<void>): Promise<MariadbServer> {
    const dir = await mkdtemp(join(tmpdir(), 'authz-mariadb-'));
    const user = otherUser('mysql');
    if (user.uid !== undefined && user.gid !== undefined) await chown(dir, user.uid, user.gid);
    await chmod(dir, 0o755);
    const files = ['--no-defaults', `--datadir=${join(dir, 'data')}`];
    const init = [...files, '--auth-root-authentication-method=normal', '--skip-test-db'];
    execFileSync(program('mariadb-install-db') ?? '', init, { ...user, cwd: dir, stdio: 'ignore' });
    const port = await freePort();
    const listen = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(dir, 'socket')}`];
    const running = await start({
      command: program('mariadbd') ?? '',
      args: [...files, ...listen, `--pid-file=${join(dir, 'pid')}`],
      cwd: dir,
      user,
      lastSignal: 'SIGKILL',
      ready: () => connects(port),
    });
    return new MariadbServer(dir, port, running);
  }

  async stop(): Promise<void> {
    await end(this.running, 'SIGTERM');
    await rm(this.dir, { recursive: true, force: true });
  }
}
