import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { AskAuthzen } from '../conformance/authzen-cases.js';
import { goEnv } from './go-env.js';
import { installed } from './installed.js';
import { PYTHON, pythonHas } from './python.js';

const sdk = fileURLToPath(new URL('../../../sdk', import.meta.url));

/** The languages whose SDK can ask here; the Node SDK needs no process of its own. */
export type Language = 'Go' | 'Python';

export const LANGUAGES: Language[] = [
  ...(installed('go', 'version', 'AuthZEN by the Go SDK') ? ['Go' as const] : []),
  ...(pythonHas(['h11'], 'AuthZEN by the Python SDK') ? ['Python' as const] : []),
];

export interface AskedPoint {
  url: string;
  apiKey?: string;
  discover?: boolean;
}

/** The SDK has no way to send this request. */
export class Unsayable extends Error {}

/** A program that puts AuthZEN's requests to decision points by an SDK, one after the other. */
export class Asker {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #waiting: { resolve: (line: string) => void; reject: (error: Error) => void }[] = [];

  private constructor(folder: string, command: string, args: string[]) {
    this.#folder = folder;
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    if (this.#child.stdout === null) throw new Error('the asker has no output');
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#waiting.shift()?.resolve(line));
    this.#child.once('exit', (code) => {
      for (const { reject } of this.#waiting) reject(new Error(`the asker ended with ${code}`));
    });
  }

  static async start(language: Language): Promise<Asker> {
    const folder = mkdtempSync(join(tmpdir(), 'sdk-asker-'));
    if (language === 'Python') return new Asker(folder, PYTHON, ['-B', join(sdk, 'python/tests/asker.py')]);
    const program = join(folder, 'asker');
    await promisify(execFile)('go', ['build', '-o', program, './internal/asker'], { cwd: join(sdk, 'go'), env: goEnv });
    return new Asker(folder, program, []);
  }

  /** Asks one decision point; rejects with `Unsayable` where the SDK has no such request. */
  asking(point: AskedPoint): AskAuthzen {
    return async (path, body) => {
      const line = await new Promise<string>((resolve, reject) => {
        this.#waiting.push({ resolve, reject });
        this.#child.stdin?.write(`${JSON.stringify({ ...point, path, body })}\n`);
      });
      const { unsayable, ...answer } = JSON.parse(line) as { unsayable?: true; status: number; body: unknown };
      if (unsayable) throw new Unsayable();
      return answer;
    };
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.stdin?.end();
      await once(this.#child, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
