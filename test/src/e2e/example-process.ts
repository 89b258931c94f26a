import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** An example application that runs. */
export class ExampleProcess {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  /** Starts the program, and resolves when it has told its URL. */
  static start(program: string, env: Record<string, string>): Promise<ExampleProcess> {
    const child = spawn(process.execPath, [program], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said: string[] = [];
    child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()));
    return new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`${program} ended with ${code}: ${said.join('')}`)));
      createInterface({ input: child.stdout }).once('line', (line) => {
        const { url } = JSON.parse(line) as { url: string };
        resolve(new ExampleProcess(url, child));
      });
    });
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}
