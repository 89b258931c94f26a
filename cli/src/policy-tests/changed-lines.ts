import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../errors/usage-error.js';
import { fetchHint } from '../tree/git.js';
import { relativePath } from '../tree/relative-path.js';

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

/**
 * The lines below a folder that were added or changed since a branch left `revision`, by path from the current folder;
 * `all` for a file that Git does not know yet.
 */
export async function changedLines(root: string, revision: string): Promise<Map<string, Set<number> | 'all'>> {
  const folder = (await stat(root)).isDirectory() ? root : dirname(root);
  const git = async (...args: string[]) => {
    try {
      const options = { cwd: folder, maxBuffer: OUTPUT_BYTES_MAX };
      return (await run('git', ['-c', 'core.quotePath=false', ...args], options)).stdout;
    } catch (error) {
      throw new UsageError(`--changed-since "${revision}" cannot be compared with: ${await causeOf(error, revision)}`);
    }
  };
  const base = (await git('merge-base', '--end-of-options', revision, 'HEAD')).trim();
  const prefixes = ['--src-prefix=a/', '--dst-prefix=b/'];
  const format = [
    '--unified=0',
    '--relative',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    ...prefixes,
  ];
  const [diff, untracked] = await Promise.all([
    git('diff', ...format, base, '--', '.'),
    git('ls-files', '--others', '--exclude-standard', '-z', '--', '.'),
  ]);
  const found = new Map<string, Set<number> | 'all'>();
  for (const [path, lines] of linesOfDiff(diff)) found.set(relativePath(join(folder, path)), lines);
  for (const path of untracked.split('\0').filter((name) => name !== ''))
    found.set(relativePath(join(folder, path)), 'all');
  return found;
}

/** The lines of the new side of a diff without context, by path. */
function linesOfDiff(diff: string): Map<string, Set<number>> {
  const found = new Map<string, Set<number>>();
  let lines = new Set<number>();
  let inHeader = false;
  for (const line of diff.split('\n')) {
    if (line.startsWith('diff --git ')) inHeader = true;
    else if (inHeader && line.startsWith('+++ ')) {
      lines = new Set();
      found.set(pathOf(line.slice('+++ '.length)), lines);
    } else if (line.startsWith('@@ ')) {
      inHeader = false;
      const [, start = '0', count = '1'] = /\+(\d+)(?:,(\d+))?/.exec(line) ?? [];
      for (let at = 0; at < Number(count); at++) lines.add(Number(start) + at);
    }
  }
  return found;
}

/** A name with quotes or control characters in it is itself in quotes; one with spaces ends in a tab. */
function pathOf(text: string): string {
  const name = text.startsWith('"') ? (JSON.parse(text) as string) : text.replace(/\t$/, '');
  return name.replace(/^b\//, '');
}

async function causeOf(error: unknown, revision: string): Promise<string> {
  const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
  if (code === 'ENOENT') return 'git is not installed.';
  const said = stderr.trim().split('\n')[0];
  if (said === undefined || said === '')
    return 'it has no commit in common with HEAD. A shallow clone lacks them: run "git fetch --unshallow".';
  const hint = await fetchHint(revision);
  return `git says "${said.replace(/^fatal: /, '')}"${hint === undefined ? '' : `. A clone may lack branches: ${hint}`}.`;
}
