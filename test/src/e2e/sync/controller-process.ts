import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { vi } from 'vitest';
import { firstLine, type Workbench } from '../cli/workbench.js';

interface Status {
  state: string;
  ready: boolean;
  reason?: string;
  observed?: string;
  applied?: string;
  revision?: string;
}

/** `servicectl sync` as a process, and how it says its stack is. */
export class ControllerProcess {
  readonly log: string[] = [];

  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
    readonly ended: Promise<unknown>,
  ) {}

  static async start(
    bench: Workbench,
    name: string,
    config: object,
    env: Record<string, string>,
  ): Promise<ControllerProcess> {
    await bench.write({ [`${name}.json`]: JSON.stringify({ version: 1, stacks: config }) });
    const args = ['sync', `${name}.json`, '--data-dir', `clones-${name}`, '--listen-addr', '127.0.0.1:0'];
    const child = bench.spawn(args, { env });
    const { url } = JSON.parse(await firstLine(child)) as { url: string };
    const controller = new ControllerProcess(child, url, once(child, 'close'));
    child.stderr?.on('data', (text: string) => controller.log.push(text));
    return controller;
  }

  async get(path: string): Promise<{ status: number; text: string }> {
    const answer = await fetch(`${this.url}${path}`);
    return { status: answer.status, text: await answer.text() };
  }

  async status(stack: string): Promise<(Status & { leads: boolean }) | undefined> {
    const { stacks } = JSON.parse((await this.get('/v1/sync')).text) as {
      stacks: { stack: string; leads: boolean; status?: Status }[];
    };
    const found = stacks.find((one) => one.stack === stack);
    return found?.status && { ...found.status, leads: found.leads };
  }

  /** Waits until the stack is as expected. */
  async until(stack: string, wanted: Partial<Status & { leads: boolean }>, timeout = 30_000): Promise<Status> {
    return await vi.waitFor(
      async () => {
        const status = await this.status(stack);
        for (const [key, value] of Object.entries(wanted))
          if (status?.[key as keyof Status] !== value)
            throw new Error(`${key} is not ${value}: ${JSON.stringify(status)}\n${this.log.join('')}`);
        return status as Status;
      },
      { timeout, interval: 50 },
    );
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.child.kill(signal);
    await this.ended;
  }
}
