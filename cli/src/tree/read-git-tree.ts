import { spawn } from 'node:child_process';
import { text as readText } from 'node:stream/consumers';
import type { ManifestFile } from '@authz-service/core/manifest/manifest';
import { ProblemError } from '@authz-service/core/problem';
import { FILE_BYTES_MAX, holdsRecords } from '@authz-service/provider/reconcile/read-tree';

/** The mode of a symbolic link in a Git tree. */
const LINK = '120000';

/**
 * Reads the files of records in a Git revision, as `readTree` does in a folder: `main:tenant/` as Git writes it, from
 * the top of the repository, or `main`, the current folder at that revision. The working tree does not matter. Throws
 * `invalid_config`.
 */
export async function readGitTree(spec: string): Promise<ManifestFile[]> {
  const colon = spec.indexOf(':');
  const revision = colon < 0 ? spec : spec.slice(0, colon);
  const path = colon < 0 ? './' : spec.slice(colon + 1);
  const commit = await resolved(`${revision}^{commit}`);
  if (commit === undefined) throw refused(spec, `Git knows no revision "${revision}" here`);
  const object = await resolved(path === '' ? `${commit}^{tree}` : `${commit}:${path}`);
  if (object === undefined) throw refused(spec, `there is no "${path}" in that revision`);
  const isFile = (await git(['cat-file', '-t', object])).stdout.trim() === 'blob';
  const found = isFile ? [{ mode: '', hash: object, name: '' }] : await filesOf(object);
  const link = found.find(({ mode }) => mode === LINK);
  if (link !== undefined) throw refused(spec, `"${link.name}" is a symbolic link, which is not followed there`);
  if (found.length === 0) throw refused(spec, 'there is no *.yaml or *.yml file (not counting hidden files and tests)');
  const texts = await contents(
    spec,
    found.map(({ hash }) => hash),
  );
  const folder = isFile || path === './' ? spec : `${spec.replace(/\/+$/, '')}/`;
  const prefix = path === './' && !isFile ? `${spec}:` : folder;
  return found.map(({ name }, index) => ({ path: `${prefix}${name}`, text: texts[index] ?? '' }));
}

async function filesOf(tree: string): Promise<{ mode: string; hash: string; name: string }[]> {
  const { stdout } = await git(['ls-tree', '-r', '-z', '--full-tree', tree]);
  return stdout
    .split('\0')
    .flatMap((line) => {
      const [, mode = '', hash = '', name = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
      return holdsRecords(name) ? [{ mode, hash, name }] : [];
    })
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** The text of each blob, in the order of the hashes. */
async function contents(spec: string, hashes: readonly string[]): Promise<string[]> {
  const { output } = await git(['cat-file', '--batch'], `${hashes.join('\n')}\n`);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const texts: string[] = [];
  let start = 0;
  for (const hash of hashes) {
    const end = output.indexOf('\n', start);
    const size = Number(output.toString('latin1', start, end).split(' ')[2]);
    if (!(size <= FILE_BYTES_MAX)) throw refused(spec, `the file ${hash} has more than ${FILE_BYTES_MAX} bytes`);
    try {
      texts.push(decoder.decode(output.subarray(end + 1, end + 1 + size)));
    } catch {
      throw refused(spec, `the file ${hash} is not UTF-8 text`);
    }
    start = end + 1 + size + 1;
  }
  return texts;
}

async function resolved(name: string): Promise<string | undefined> {
  const { code, stdout } = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', name], '', [0, 1, 128]);
  return code === 0 ? stdout.trim() : undefined;
}

/** Runs `git` in the current folder, without its fetching what a partial clone lacks. */
async function git(
  args: readonly string[],
  input = '',
  codes: readonly number[] = [0],
): Promise<{ code: number | null; stdout: string; output: Buffer }> {
  const child = spawn('git', args, { stdio: 'pipe', env: { ...process.env, GIT_NO_LAZY_FETCH: '1' } });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new ProblemError(
          'invalid_config',
          `Git cannot be started (${error.code ?? error.message}): install it to read revisions.`,
        ),
      ),
    );
    child.once('close', resolve);
  });
  // A program that has ended reads nothing more; its exit code says why.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const parts: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  const [errors, code] = await Promise.all([readText(child.stderr), closed]);
  const output = Buffer.concat(parts);
  if (!codes.includes(code ?? -1)) {
    throw new ProblemError('invalid_config', `"git ${args[0]}" failed: ${errors.trim() || `it ended with ${code}`}`);
  }
  return { code, stdout: output.toString('utf8'), output };
}

function refused(spec: string, why: string): ProblemError {
  return new ProblemError(
    'invalid_config',
    `"${spec}" cannot be read: ${why}. Write a revision and a path, like "main:tenant/".`,
  );
}
