import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ServiceClient } from '@authz-service/sdk/client';

const PROGRAM = fileURLToPath(new URL('../../../../cli/bin/service.js', import.meta.url));

/** The credentials of the first administrator of a cloud that is started with `bootstrapEnv`. */
export const ADMINISTRATOR = { clientId: 'admin', clientSecret: 'the secret of the first administrator' };

const COMMAND = [process.execPath, PROGRAM, 'cloud', 'start'];

interface CloudStart {
  prefix?: readonly string[];
  command?: readonly string[];
  host?: string;
  port?: number;
}

/** The built cloud as a process of its own, as a user starts it. */
export class CloudProcess {
  readonly stdout: string[] = [];
  readonly stderr: string[] = [];
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;
  readonly #ready: Promise<string>;

  /**
   * With `DATABASE_URL`, the folder is its home alone. `prefix` is a command that runs it elsewhere, where `host` is its own;
   * `command` starts another build of it.
   */
  constructor(
    dataDir: string,
    env: Record<string, string> = bootstrapEnv(),
    { prefix = [], command = COMMAND, host = '127.0.0.1', port = 0 }: CloudStart = {},
  ) {
    const place = env.DATABASE_URL === undefined ? ['--data-dir', dataDir] : [];
    const [file = '', ...rest] = [...prefix, ...command, ...place, '--listen-addr', `${host}:${port}`];
    this.#child = spawn(file, rest, {
      env: { PATH: process.env.PATH, HOME: dataDir, SERVICE_DRAIN_TIME: '0s', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error('the cloud has no output');
    createInterface({ input: stderr }).on('line', (line) => this.stderr.push(line));
    this.exited = once(this.#child, 'close').then(([code, signal]) => ({ code, signal }));
    this.#ready = new Promise((resolve, reject) => {
      createInterface({ input: stdout }).on('line', (line) => {
        this.stdout.push(line);
        resolve(line);
      });
      this.exited.then(() => reject(new Error(`the cloud ended: ${this.stderr.join('\n')}`)));
    });
    // Everything that waits for it learns of it.
    this.#ready.catch(() => {});
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Returns the address on which it listens, once it is ready. */
  async url(): Promise<string> {
    return JSON.parse(await this.#ready).url;
  }

  /** A client of its first administrator. */
  async client(): Promise<ServiceClient> {
    return new ServiceClient({ url: await this.url(), credentials: ADMINISTRATOR, retries: 0 });
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Ends it, whatever its state. */
  async kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.signal('SIGKILL');
    await this.exited;
  }
}

export function bootstrapEnv(): Record<string, string> {
  const { clientId, clientSecret } = ADMINISTRATOR;
  return { SERVICE_BOOTSTRAP_CLIENT_ID: clientId, SERVICE_BOOTSTRAP_CLIENT_SECRET: clientSecret };
}
