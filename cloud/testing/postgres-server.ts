import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { end, freePort, otherUser, type Running, start } from './own-server.js';

const PROGRAMS = '/usr/lib/postgresql';

/** The folder of PostgreSQL's programs, the newest if there are several; undefined if it is not installed. */
function programs(): string | undefined {
  const folders = existsSync(PROGRAMS) ? readdirSync(PROGRAMS).sort((one, other) => Number(other) - Number(one)) : [];
  const debian = folders.map((version) => join(PROGRAMS, version, 'bin'));
  const onPath = (process.env.PATH ?? '').split(':');
  return [...debian, ...onPath].find((folder) =>
    ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))),
  );
}

export const hasPostgres = programs() !== undefined;
export const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer', '/usr/bin/pgbouncer'].find(existsSync);

/** PostgreSQL and PgBouncer refuse to run as root. */
const user = () => otherUser('postgres');

/** A PostgreSQL server of a test's own, on a free port of the loopback address. */
export class PostgresServer {
  #running: Running | undefined;
  #poolers: Running[] = [];

  private constructor(
    private readonly dir: string,
    readonly port: number,
  ) {}

  /** With further settings, in place of its own ones. */
  static async start(settings: string[] = []): Promise<PostgresServer> {
    const dir = await mkdtemp(join(tmpdir(), 'authz-postgres-'));
    const { uid, gid } = user();
    if (uid !== undefined && gid !== undefined) await chown(dir, uid, gid);
    await chmod(dir, 0o755);
    const init = ['-D', join(dir, 'data'), '-U', 'cloud', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    execFileSync(join(programs() ?? '', 'initdb'), init, { ...user(), cwd: dir, stdio: 'ignore' });
    const server = new PostgresServer(dir, await freePort());
    await server.run(settings);
    return server;
  }

  /** Starts it again after `kill`. */
  async run(more: string[] = []): Promise<void> {
    const settings = ['fsync=off', 'unix_socket_directories=', 'max_connections=200', ...more];
    const args = ['-D', join(this.dir, 'data'), '-h', '127.0.0.1', '-p', String(this.port)];
    const all = [...args, ...settings.flatMap((setting) => ['-c', setting])];
    this.#running = await start({
      command: join(programs() ?? '', 'postgres'),
      args: all,
      cwd: this.dir,
      user: user(),
      lastSignal: 'SIGQUIT',
      ready: async () => void (await this.admin('select 1')),
    });
  }

  /** Ends all its connections at once, and does not write what it still has in memory. */
  async kill(): Promise<void> {
    if (this.#running) await end(this.#running, 'SIGQUIT');
  }

  async stop(): Promise<void> {
    for (const pooler of this.#poolers) await end(pooler, 'SIGTERM');
    if (this.#running) await end(this.#running, 'SIGINT');
    await rm(this.dir, { recursive: true, force: true });
  }

  get pid(): number | undefined {
    return this.#running?.child.pid;
  }

  /** The folder of its files. */
  get data(): string {
    return join(this.dir, 'data');
  }

  /** Makes a certificate for `localhost` that signs itself, which its user can read. */
  certificate(): { cert: string; key: string } {
    const [cert, key] = [join(this.dir, 'data', 'server.crt'), join(this.dir, 'data', 'server.key')];
    const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    execFileSync('openssl', [...args, ...names, '-keyout', key, '-out', cert], { ...user(), stdio: 'ignore' });
    return { cert, key };
  }

  /** Runs statements as a superuser; returns the rows of a single one. */
  async admin(sql: string, database = 'postgres'): Promise<unknown[]> {
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user: 'cloud', database });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Makes an empty database, and returns its URL. */
  async database(options = ''): Promise<string> {
    const name = `cloud_${randomUUID().replaceAll('-', '')}`;
    await this.admin(`create database ${name} ${options}`);
    return this.url(name);
  }

  url(database: string, port = this.port): string {
    return `postgres://cloud@127.0.0.1:${port}/${database}`;
  }

  async drop(url: string): Promise<void> {
    await this.admin(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
  }

  /** Starts a PgBouncer in transaction mode before it; returns its port. */
  async pooler(): Promise<number> {
    const port = await freePort();
    const file = join(this.dir, `pgbouncer-${port}.ini`);
    const users = join(this.dir, 'users.txt');
    await writeFile(users, '"cloud" ""\n');
    await writeFile(
      file,
      `[databases]\n* = host=127.0.0.1 port=${this.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
        `auth_type = trust\nauth_file = ${users}\npool_mode = transaction\ndefault_pool_size = 5\nmax_client_conn = 500\n` +
        'unix_socket_dir =\nserver_idle_timeout = 1\n',
    );
    const ready = async () => {
      const client = new pg.Client({ host: '127.0.0.1', port, user: 'cloud', database: 'postgres' });
      client.on('error', () => undefined);
      await client.connect();
      await client.end();
    };
    this.#poolers.push(
      await start({
        command: PGBOUNCER ?? '',
        args: [file],
        cwd: this.dir,
        user: user(),
        lastSignal: 'SIGQUIT',
        ready,
      }),
    );
    return port;
  }
}
