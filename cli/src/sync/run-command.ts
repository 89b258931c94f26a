import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { Failure } from '../errors/failure.js';

/** A run of `servicectl` that has ended. */
export interface CommandRun {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  /** The document that it printed with `--json`; undefined if that is none. */
  json?: unknown;
}

/** Long enough for the largest tree; a command that hangs must not hold its stack for ever. */
const TIMEOUT_MS = 15 * 60_000;

/** Runs a command of this very program, in a process of its own. */
export type RunCommand = (
  args: readonly string[],
  options: { cwd: string; env?: Readonly<Record<string, string>> },
) => Promise<CommandRun>;

/** Returns what runs commands with these flags after their own. */
export function commandRunner(flags: readonly string[]): RunCommand {
  const script = process.argv[1];
  // A single executable has no script.
  const program = script === undefined || process.execPath.endsWith(script) ? [] : [script];
  return async (args, { cwd, env = {} }) => {
    const child = spawn(process.execPath, [...process.execArgv, ...program, ...args, ...flags], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', ...env },
      // Ctrl-C goes to all of a terminal's processes; a change that was sent shall be waited for.
      detached: true,
      timeout: TIMEOUT_MS,
    });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const [exitCode, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    return { exitCode, stdout, stderr, json: args.includes('--json') ? parsed(stdout) : undefined };
  };
}

/** The failure that a run with `--json` printed; undefined if it did not fail. */
export function failureOfRun({
  exitCode,
  json,
  stderr,
}: CommandRun): Pick<Failure, 'code' | 'detail' | 'errors'> | undefined {
  const { error } = (json ?? {}) as { error?: Failure };
  if (error !== undefined) return error;
  if (json !== undefined && exitCode !== null) return undefined;
  const last = stderr.trim().split('\n').at(-1) || 'it said nothing';
  const how = exitCode === null ? 'was ended by a signal or the time limit' : `ended with exit code ${exitCode}`;
  return { code: 'internal', detail: `The command ${how}: ${last}`, errors: [] };
}

function parsed(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}
