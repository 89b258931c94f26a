import type { ManifestFile } from '@authz-service/core/manifest/manifest';
import { ProblemError } from '@authz-service/core/problem';
import { ENVIRONMENTS, unknownEnvironment } from '@authz-service/embedded/tree/read-tree';
import { fetchHint, firstLine, git, readBlobs, untrusted } from './git.js';
import { filesIn, type GitEntry } from './git-tree.js';

/**
 * Reads the files of records in a Git revision, as `readTree` does in a folder: `main:tenant/` as Git writes it, from the
 * top of the repository, or from the current folder if the path begins with `./`; `main` is the current folder at that
 * revision. Nothing is checked out. With an environment, its file is among them. Throws `invalid_config` where there is no such repository, revision or path.
 */
export async function readGitTree(spec: string, environment?: string): Promise<ManifestFile[]> {
  const colon = spec.indexOf(':');
  const revision = colon < 0 ? spec : spec.slice(0, colon);
  const path = colon < 0 ? '.' : spec.slice(colon + 1).replace(/\/+$/, '');
  await checkRevision(spec, revision);
  const top = await fromTop(path);
  const object = await git(['rev-parse', '--verify', '--quiet', `${revision}:${top}`]);
  if (!object.ok) throw await noSuchPath(spec, revision, path);
  const files = await read(object.stdout.toString().trim(), { revision, top, spec, environment });
  if (files.some(({ isEnvironment }) => !isEnvironment)) return files;
  throw refused(spec, 'there is no *.yaml or *.yml file (not counting hidden files, tests and node_modules)');
}

function refused(spec: string, why: string): ProblemError {
  return new ProblemError('invalid_config', `"${spec}" cannot be read: ${why}.`);
}

async function checkRevision(spec: string, revision: string): Promise<void> {
  const repository = await git(['rev-parse', '--git-dir']);
  if (!repository.ok) {
    const foreign = untrusted(repository);
    if (foreign !== undefined) throw refused(spec, foreign);
    throw refused(
      spec,
      `a Git revision needs a Git repository, which this folder is not in (${firstLine(repository.stderr)})`,
    );
  }
  const known = !revision.startsWith('-') && (await git(['rev-parse', '--verify', '--quiet', `${revision}^{tree}`])).ok;
  if (revision !== '' && known) return;
  const hint = await fetchHint(revision);
  const remedy = hint === undefined ? '' : `. A clone may lack branches and history: ${hint}`;
  throw refused(spec, `Git knows no revision "${revision}" here${remedy}`);
}

/** The path from the top of the repository; empty for the top itself. */
async function fromTop(path: string): Promise<string> {
  if (path !== '.' && path !== '..' && !/^\.\.?\//.test(path)) return path;
  const { stdout } = await git(['rev-parse', '--show-prefix']);
  const names: string[] = stdout.toString().trim().split('/');
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '.') names.push(name);
  }
  return names.filter((name) => name !== '').join('/');
}

async function noSuchPath(spec: string, revision: string, path: string): Promise<ProblemError> {
  const here = await git(['rev-parse', '--verify', '--quiet', `${revision}:./${path}`]);
  const why = `there is no "${path}" in that revision`;
  if (!here.ok) return refused(spec, why);
  return refused(spec, `${why}. Paths are from its top; from this folder it is "${revision}:./${path}"`);
}

async function read(
  object: string,
  {
    revision,
    top,
    spec,
    environment,
  }: { revision: string; top: string; spec: string; environment: string | undefined },
): Promise<ManifestFile[]> {
  const { stdout } = await git(['cat-file', '-t', object]);
  const shown = (path: string) => `${revision}:${[top, path].filter((name) => name !== '').join('/')}`;
  if (stdout.toString().trim() === 'blob') {
    if (environment !== undefined) throw unknownEnvironment(environment, spec, []);
    const blobs = await readBlobs([object]);
    return [{ path: shown(''), text: utf8(blobs.get(object), shown('')) }];
  }
  const listed = await git(['ls-tree', '-r', '-z', '--full-tree', object]);
  if (!listed.ok) throw refused(spec, firstLine(listed.stderr));
  const entries = entriesOf(listed.stdout.toString());
  const links = entries.filter(({ mode }) => mode === '120000').map(({ name }) => name);
  const targets = await readBlobs(links);
  const all = filesIn(entries, (name) => targets.get(name)?.toString() ?? '', shown);
  const nameOf = (path: string) => new RegExp(`^${ENVIRONMENTS}/([^/]+)\\.ya?ml$`, 'i').exec(path)?.[1];
  const isEnvironment = ({ path }: { path: string }) => environment !== undefined && nameOf(path) === environment;
  if (environment !== undefined && !all.some(isEnvironment))
    throw unknownEnvironment(
      environment,
      spec,
      all.flatMap(({ path }) => nameOf(path) ?? []),
    );
  const files = all.filter((file) => !file.path.startsWith(`${ENVIRONMENTS}/`) || isEnvironment(file));
  const blobs = await readBlobs(files.map(({ name }) => name));
  return files.map(({ path, name }) => ({
    path: shown(path),
    text: utf8(blobs.get(name), shown(path)),
    isEnvironment: isEnvironment({ path }),
  }));
}

/** Lines `MODE TYPE NAME<tab>PATH`, each ended by a NUL. */
function entriesOf(listed: string): GitEntry[] {
  return listed
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', , name = ''] = line.slice(0, tab).split(' ');
      return { mode, name, path: line.slice(tab + 1) };
    });
}

function utf8(bytes: Buffer | undefined, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refused(path, 'it is not UTF-8 text');
  }
}
