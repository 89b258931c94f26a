import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The repository; this file is compiled to `bench/dist/bench/src`. */
export const root = fileURLToPath(new URL('../../../..', import.meta.url));
/** A compiled script of the bench. */
export const script = (name: string): string => fileURLToPath(new URL(`${name}.js`, import.meta.url));

export interface Running {
  child: ChildProcess;
  url: string;
}

/** Starts a program and resolves with the URL that a JSON line of its output names. */
export function start(command: string, args: string[], env: Record<string, string>): Promise<Running> {
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', SERVICE_DRAIN_TIME: '0s', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    const seen: string[] = [];
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code}:\n${seen.slice(-20).join('\n')}`)));
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        seen.push(line);
        const url = line.startsWith('{') ? JSON.parse(line).url : undefined;
        if (typeof url === 'string') resolve({ child, url });
      });
    }
  });
}

export async function stop({ child }: Pick<Running, 'child'>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

/** Waits until the address answers 200. */
export async function answering(url: string, seconds = 120): Promise<void> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await wait(5)) {
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
  }
  throw new Error(`${url} did not answer 200 within ${seconds} s`);
}
