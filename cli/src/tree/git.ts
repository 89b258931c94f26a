import { spawn } from 'node:child_process';
import { buffer, text } from 'node:stream/consumers';
import { ProblemError } from '@authz-service/core/problem';
import { FILE_BYTES_MAX } from '@authz-service/embedded/tree/read-tree';

/** The result of a run of Git. */
export interface GitRun {
  ok: boolean;
  stdout: Buffer;
  stderr: string;
}

interface GitOptions {
  /** The text on its standard input. */
  input?: string;
  env?: Readonly<Record<string, string>>;
  /** Ends Git when it aborts. */
  signal?: AbortSignal;
}

/**
 * Runs Git in the current folder. What a partial clone lacks is not fetched, unless `env` says so. Throws `invalid_config`
 * where there is no Git.
 */
export async function git(args: readonly string[], { input, env, signal }: GitOptions = {}): Promise<GitRun> {
  const child = spawn('git', [...args], {
    stdio: 'pipe',
    env: { ...process.env, LC_ALL: 'C', GIT_NO_LAZY_FETCH: '1', ...env },
    signal,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // Git may end before it has read everything: then its message says why.
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  try {
    const [code, stdout, stderr] = await Promise.all([ended, buffer(child.stdout), text(child.stderr)]);
    return { ok: code === 0, stdout, stderr };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new ProblemError('invalid_config', 'This needs the program "git", which is not on the PATH: install it.');
  }
}

/** Why Git reads no repository of another user, and what to do, where that is what it says. */
export function untrusted({ stderr }: GitRun): string | undefined {
  const folder = /dubious ownership in repository at '(.*)'/.exec(stderr)?.[1];
  if (folder === undefined) return undefined;
  return `its repository belongs to another user, and Git reads it only if you trust it: git config --global --add safe.directory '${folder}'`;
}

/** Brings what a partial clone left out. */
const REFETCH = 'git fetch --refetch --no-filter';

/** The contents of blobs by their names, which Git has listed before. */
export async function readBlobs(names: readonly string[]): Promise<Map<string, Buffer>> {
  const wanted = [...new Set(names)];
  const { ok, stdout, stderr } = await git(['cat-file', '--batch'], {
    input: wanted.map((name) => `${name}\n`).join(''),
  });
  if (!ok && stderr.includes('lazy fetching')) throw unreadable(`this partial clone lacks it; "${REFETCH}" brings all`);
  if (!ok) throw unreadable(firstLine(stderr));
  const blobs = new Map<string, Buffer>();
  let at = 0;
  for (const name of wanted) {
    const end = stdout.indexOf('\n', at);
    const [, type, size] = stdout.toString('utf8', at, end).split(' ');
    if (type !== 'blob') throw unreadable(`this partial clone lacks ${name}; "${REFETCH}" brings all`);
    if (Number(size) > FILE_BYTES_MAX) throw unreadable(`${name} has more than ${FILE_BYTES_MAX} bytes: split it`);
    at = end + 1 + Number(size);
    blobs.set(name, stdout.subarray(end + 1, at));
    // A line feed follows each content.
    at += 1;
  }
  return blobs;
}

/**
 * How to get a revision that Git does not know here, as a sentence to follow a colon; it can be followed in a shallow clone
 * of one branch, too, where a fetch sets nothing but FETCH_HEAD. Undefined where there is nowhere to fetch it from.
 */
export async function fetchHint(revision: string): Promise<string | undefined> {
  const [remotes, shallow] = await Promise.all([git(['remote']), git(['rev-parse', '--is-shallow-repository'])]);
  const names = remotes.stdout.toString().split('\n').filter(Boolean);
  const isShallow = shallow.stdout.toString().trim() === 'true';
  const remote =
    names.find((name) => revision.startsWith(`${name}/`)) ?? (names.includes('origin') ? 'origin' : names[0]);
  if (remote === undefined) return undefined;
  const [, base = '', ancestor = ''] = /^(.*?)([~^].*)?$/.exec(revision) ?? [];
  const branch = base.startsWith(`${remote}/`) ? base.slice(remote.length + 1) : base;
  if (!/^[\w][\w./-]*$/.test(branch)) return undefined;
  const whole = isShallow && ancestor !== '' ? '--unshallow ' : '';
  if (branch === 'HEAD') return isShallow ? `run "git fetch --unshallow ${remote}"` : undefined;
  return `run "git fetch ${whole}${remote} ${branch}" and write FETCH_HEAD${ancestor} in its place`;
}

function unreadable(why: string): ProblemError {
  return new ProblemError('invalid_config', `Git cannot read a file of the revision: ${why}.`);
}

export function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').replace(/^(?:fatal|error): /, '');
}
