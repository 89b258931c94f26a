import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';

/** A user that a server can run as that refuses to run as root: the first of these that exists, if this is root. */
export function otherUser(...names: string[]): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  for (const name of [...names, 'nobody']) {
    try {
      const id = (kind: string) => Number(execFileSync('id', [kind, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {}
  }
  throw new Error('there is no user that a server can run as');
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A program that a test runs for itself. */
export interface Running {
  child: ChildProcess;
  log: () => string;
}

export interface Start {
  command: string;
  args: string[];
  cwd: string;
  user: { uid?: number; gid?: number };
  /** Kills it if the test is ended from outside. */
  lastSignal: NodeJS.Signals;
  ready: () => Promise<void>;
}

/** Resolves once `ready` does; rejects if the program ends before. */
export async function start({ command, args, cwd, user, lastSignal, ready }: Start): Promise<Running> {
  const child = spawn(command, args, { ...user, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  process.once('exit', () => child.kill(lastSignal));
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (log += text));
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${command} has ended: ${log}`);
    const failure = await ready().then(
      () => undefined,
      (error: Error) => error,
    );
    if (failure === undefined) return { child, log: () => log };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function end({ child }: Running, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}
