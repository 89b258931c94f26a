import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Credentials, ServiceClient } from '@authz-service/sdk/client';
import { root } from './processes.js';

/** The first administrator of the clouds that are measured. */
export const ADMINISTRATOR = { clientId: 'bench', clientSecret: 'the secret of the administrator of the bench' };

export interface CloudPlace {
  /** Its home, its log and, without `database`, its data. */
  folder: string;
  /** The URL of a PostgreSQL database, and of the same for LISTEN. */
  database?: string;
  direct?: string;
  /** The port on which it listens; else a free one. */
  port?: number;
  /** The most that V8 keeps of garbage and what is in use; else what Node.js takes for the machine. */
  heapMiB?: number;
}

/** The built cloud as a process of its own. It logs into a file, so that nobody has to read that meanwhile. */
export class BenchCloud {
  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start({ folder, database, direct, port = 0, heapMiB }: CloudPlace): Promise<BenchCloud> {
    const log = openSync(join(folder, 'cloud.log'), 'a');
    const place = database === undefined ? ['--data-dir', join(folder, 'cloud')] : [];
    const heap = heapMiB === undefined ? [] : [`--max-old-space-size=${heapMiB}`];
    const args = [
      ...heap,
      join(root, 'cli/bin/service.js'),
      'cloud',
      'start',
      ...place,
      '--listen-addr',
      `127.0.0.1:${port}`,
    ];
    const child = spawn(process.execPath, args, {
      env: {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        SERVICE_DRAIN_TIME: '0s',
        SERVICE_BOOTSTRAP_CLIENT_ID: ADMINISTRATOR.clientId,
        SERVICE_BOOTSTRAP_CLIENT_SECRET: ADMINISTRATOR.clientSecret,
        ...(database !== undefined && { DATABASE_URL: database }),
        ...(direct !== undefined && { DATABASE_DIRECT_URL: direct }),
      },
      stdio: ['ignore', 'pipe', log],
    });
    closeSync(log);
    // It must not outlive a bench that is ended from outside.
    process.once('exit', () => child.kill('SIGKILL'));
    const url = await new Promise<string>((resolve, reject) => {
      if (child.stdout) createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line).url));
      child.once('exit', () =>
        reject(new Error(`the cloud ended:\n${readFileSync(join(folder, 'cloud.log'), 'utf8').slice(-2000)}`)),
      );
    });
    return new BenchCloud(child, url);
  }

  client(credentials: Credentials = ADMINISTRATOR): ServiceClient {
    return new ServiceClient({ url: this.url, credentials, retries: 0 });
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await ended(this.child, signal);
  }

  /** Milliseconds of processors that it has used. */
  get processorMs(): number {
    return processorMs(this.child.pid);
  }

  get residentBytes(): number {
    const [, pages] = readFileSync(`/proc/${this.child.pid}/statm`, 'utf8').split(' ');
    return Number(pages) * 4096;
  }
}

export async function ended(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}

/** Milliseconds of processors that a process has used; Linux counts in hundredths of a second. */
export function processorMs(pid: number | undefined): number {
  const fields = statOf(`${pid}`);
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The same of a process and its children, those that have ended, too. */
export function familyProcessorMs(pid: number | undefined): number {
  const fields = statOf(`${pid}`);
  const ended = (Number(fields[13]) + Number(fields[14])) * 10;
  const children = readdirSync('/proc').map((name) => {
    try {
      return /^\d+$/.test(name) && Number(statOf(name)[1]) === pid ? processorMs(Number(name)) : 0;
    } catch {
      // It has ended meanwhile.
      return 0;
    }
  });
  return processorMs(pid) + ended + children.reduce((sum, child) => sum + child, 0);
}

/** Returns what Linux tells of a process, without its number and name. */
function statOf(pid: string): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(') ') + 2).split(' ');
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The value below which this share of them lies. */
export function share(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
