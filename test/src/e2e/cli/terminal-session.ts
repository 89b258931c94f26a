import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../agent/agent-process.js';
import { PROGRAM } from './workbench.js';

/** `servicectl` on a pseudo-terminal of its own, by util-linux's `script`. */
export class TerminalSession {
  #output = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<number>;

  constructor(args: string[], cwd: string, env: Record<string, string>) {
    const command = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`).join(' ');
    this.#child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd,
      env: { TERM: 'xterm-256color', ...env },
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
    });
    this.#ended = once(this.#child, 'close').then(([code]) => code as number);
  }

  /** Waits until the screen has shown this, and types. */
  async answer(shown: string, keys: string): Promise<void> {
    await until(() => {
      if (!this.#output.includes(shown)) throw new Error(`not shown yet: ${this.#output}`);
    });
    this.#child.stdin?.write(keys);
  }

  /** Returns what was on the screen, and the exit code. */
  async end(): Promise<{ code: number; output: string }> {
    const code = await this.#ended;
    return { code, output: this.#output.replaceAll('\r\n', '\n') };
  }
}
