import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { asking } from './tenant-fixture.js';

const PROGRAM = fileURLToPath(new URL('../../../../agent/bin/service-agent.js', import.meta.url));

/** A line of the agent's log. */
export interface LogLine {
  time: string;
  level: string;
  msg: string;
  [field: string]: unknown;
}

export interface Health {
  status: string;
  bundle_revision: string;
  last_sync: string;
  degraded: boolean;
  consecutive_failures: number;
  sync_age_seconds: number;
}

export interface AgentStart {
  /** A port other than that of this tree. */
  program?: string;
  args?: string[];
  /** Starts it in place of Node and the program. */
  command?: readonly string[];
  cwd?: string;
  /** False leaves its standard output unread. */
  readStdout?: boolean;
  /** Its whole environment, except PATH. */
  env: Record<string, string>;
}

/** The built agent as a process of its own. */
export class AgentProcess {
  readonly stdout: string[] = [];
  readonly log: LogLine[] = [];
  /** The part of standard error that is not JSON. */
  readonly noise: string[] = [];
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;
  readonly #listenAddr: string | undefined;

  constructor({ program = PROGRAM, args = [], command, cwd, readStdout = true, env }: AgentStart) {
    const [file = '', ...rest] = command ?? [process.execPath, program, ...args];
    this.#child = spawn(file, rest, {
      cwd,
      env: { PATH: process.env.PATH, SERVICE_DRAIN_TIME: '0s', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#listenAddr = env.SERVICE_LISTEN_ADDR;
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error('the agent has no output');
    if (readStdout) createInterface({ input: stdout }).on('line', (line) => this.stdout.push(line));
    createInterface({ input: stderr }).on('line', (line) => {
      if (line.startsWith('{')) this.log.push(JSON.parse(line));
      else this.noise.push(line);
    });
    this.exited = once(this.#child, readStdout ? 'close' : 'exit').then(([code, signal]) => ({ code, signal }));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The URL where it listens, once it does: at the given port, or the one in its log. */
  async url(): Promise<string> {
    const given = this.#listenAddr;
    if (given !== undefined && !given.endsWith(':0')) return `http://${given}`;
    const line = await this.logged((logged) => typeof logged.url === 'string' && logged.msg === 'agent is listening');
    return line.url as string;
  }

  /** Waits for a line of the log. */
  async logged(wanted: (line: LogLine) => boolean): Promise<LogLine> {
    return until(() => {
      const line = this.log.find(wanted);
      if (line !== undefined) return line;
      if (this.#child.exitCode !== null) throw new Error(`the agent ended: ${JSON.stringify(this.log)} ${this.noise}`);
      throw new Error(`no such line yet: ${JSON.stringify(this.log)}`);
    });
  }

  async get(path: string): Promise<Response> {
    return fetch(`${await this.url()}${path}`);
  }

  async health(): Promise<Health> {
    return (await this.get('/healthz')).json() as Promise<Health>;
  }

  /** Waits until the health report meets the condition. */
  async healthy(wanted: (health: Health) => boolean): Promise<Health> {
    return until(async () => {
      const health = await this.health();
      if (!wanted(health)) throw new Error(`not yet: ${JSON.stringify(health)} ${JSON.stringify(this.log.at(-1))}`);
      return health;
    });
  }

  /** Waits until it serves this revision without any fault. */
  serves(revision: string): Promise<Health> {
    return this.healthy(({ bundle_revision, status }) => bundle_revision === revision && status === 'ok');
  }

  /** Whether this subject may read INV-1. */
  async allows(subject: string): Promise<boolean> {
    const answer = await this.authorize(asking(subject));
    return ((await answer.json()) as { decision: boolean }).decision;
  }

  async authorize(body: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${await this.url()}/v1/authorize`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
  }

  /** Every sample of the metrics, by name with labels. */
  async metrics(): Promise<Map<string, number>> {
    const text = await (await this.get('/metrics')).text();
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
  }

  /** Leaves its standard output without a reader. */
  closeStdout(): void {
    this.#child.stdout?.destroy();
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

/** Tries again until it does not throw. */
export function until<T>(attempt: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(attempt, { timeout: 25_000, interval: 10 });
}

/** For an agent on a free port whose files are below `home`. */
export function agentEnv(home: string, cloudUrl: string, more: Record<string, string> = {}): Record<string, string> {
  return {
    HOME: home,
    SERVICE_API_KEY: 'svc_test',
    SERVICE_CLOUD_URL: cloudUrl,
    SERVICE_LISTEN_ADDR: '127.0.0.1:0',
    ...more,
  };
}
