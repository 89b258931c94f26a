import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ServiceClient } from '@authz-service/sdk/client';

export const PROGRAM = fileURLToPath(new URL('../../../../cli/bin/service.js', import.meta.url));

type Variables = Record<string, string>;

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Variables;
  /** The content of standard input; nothing by default. */
  input?: string;
  cwd?: string;
}

/** A temporary folder with a home directory, where the built program runs without the developer's environment. */
export class Workbench {
  readonly #children = new Set<ChildProcess>();

  private constructor(readonly folder: string) {}

  static async create(): Promise<Workbench> {
    return new Workbench(await mkdtemp(join(tmpdir(), 'cli-e2e-')));
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  /** Writes files below the folder, by their relative paths. */
  async write(files: Record<string, string>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(this.path(path)), { recursive: true });
      await writeFile(this.path(path), text);
    }
  }

  /** Starts `servicectl` and leaves it running. */
  spawn(args: string[], { env = {}, cwd = '.' }: RunOptions = {}): ChildProcess {
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: this.path(cwd), env: this.environment(env) });
    this.#children.add(child);
    child.once('close', () => this.#children.delete(child));
    return child;
  }

  /** Runs `servicectl` to its end. */
  async run(args: string[], options: RunOptions = {}): Promise<Finished> {
    const child = this.spawn(args, options);
    child.stdin?.end(options.input ?? '');
    return finished(child);
  }

  /** Runs `servicectl … --json`, which must succeed (or exit with `code`), and returns its output. */
  async json<T = Record<string, unknown>>(args: string[], options: RunOptions & { code?: number } = {}): Promise<T> {
    const { code, stdout, stderr } = await this.run([...args, '--json'], options);
    if (code !== (options.code ?? 0))
      throw new Error(`servicectl ${args.join(' ')} exited with ${code}: ${stdout}${stderr}`);
    return JSON.parse(stdout) as T;
  }

  environment(env: Variables): Variables {
    return { PATH: process.env.PATH ?? '', HOME: this.folder, SERVICE_DRAIN_TIME: '0s', ...env };
  }

  /** A running cloud with a fresh tenant for each call of `tenant`. */
  async startCloud(env: Variables = {}): Promise<CloudBench> {
    const operator = { SERVICE_CLIENT_ID: 'operator', SERVICE_CLIENT_SECRET: randomUUID() };
    const start = async (address: string) => {
      const child = this.spawn(['cloud', 'start', '--data-dir', 'cloud', '--listen-addr', address], {
        env: {
          SERVICE_BOOTSTRAP_CLIENT_ID: operator.SERVICE_CLIENT_ID,
          SERVICE_BOOTSTRAP_CLIENT_SECRET: operator.SERVICE_CLIENT_SECRET,
          SERVICE_LOG_LEVEL: 'warn',
          ...env,
        },
      });
      const { url } = JSON.parse(await firstLine(child)) as { url: string };
      return { child, url };
    };
    const { child, url } = await start('127.0.0.1:0');
    const again = async () => (await start(new URL(url).host)).child;
    return new CloudBench(url, { ...operator, SERVICE_CLOUD_URL: url }, child, again);
  }

  /** Ends everything that still runs and removes the folder. */
  async close(): Promise<void> {
    for (const child of this.#children) {
      const gone = once(child, 'close');
      child.kill('SIGTERM');
      await gone;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

export class CloudBench {
  readonly #operator: ServiceClient;

  constructor(
    readonly url: string,
    /** The environment of the operator. */
    readonly operator: { SERVICE_CLIENT_ID: string; SERVICE_CLIENT_SECRET: string; SERVICE_CLOUD_URL: string },
    private child: ChildProcess,
    private readonly again: () => Promise<ChildProcess>,
  ) {
    const credentials = { clientId: operator.SERVICE_CLIENT_ID, clientSecret: operator.SERVICE_CLIENT_SECRET };
    this.#operator = new ServiceClient({ url, credentials });
  }

  async stop(): Promise<void> {
    const gone = once(this.child, 'close');
    this.child.kill('SIGTERM');
    await gone;
  }

  /** After `stop`: at the same address, with the same data. */
  async start(): Promise<void> {
    this.child = await this.again();
  }

  /** The environment of a new tenant's administrator. */
  async tenant(name: string = randomUUID()): Promise<Variables> {
    const { client_id, client_secret } = await this.#operator.tenants.create({ name });
    return { SERVICE_CLOUD_URL: this.url, SERVICE_CLIENT_ID: client_id, SERVICE_CLIENT_SECRET: client_secret };
  }
}

export async function finished(child: ChildProcess): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

/** The first line on standard output. Rejects with the program's output if it ends before that. */
export async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null || child.stderr === null) throw new Error('the program has no output');
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const lines = createInterface({ input: child.stdout });
  const line = once(lines, 'line').then(([text]) => text as string);
  const ended = once(child, 'close').then(([code]) => {
    throw new Error(`it ended with ${code}: ${stderr}`);
  });
  return Promise.race([line, ended]);
}
