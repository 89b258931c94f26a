import { type Dirent, promises as fs, type Stats } from 'node:fs';
import path from 'node:path';
import type { ManifestFile } from '@authz-service/core/manifest/manifest';
import { ProblemError, type ProblemItem } from '@authz-service/core/problem';

export const FILE_BYTES_MAX = 64 * 1024 * 1024;
/** Links in a small folder can lead to an unlimited number of files. */
const ENTRIES_MAX = 500_000;
const READ_AT_ONCE = 32;

/**
 * Reads the records in every `*.yaml` and `*.yml` file, in letters of any case, below a folder (or the one file that `root` names), sorted by
 * path. It skips `node_modules`, hidden names, which begin with a dot, and tests. It follows links inside the folder but
 * never out of it: everything that a plan shows must come from the tree under review. Of the folder `environments` it reads
 * the file of the environment that is named, and no other.
 *
 * Throws `invalid_config` with all faults at once: an empty folder, unreadable or oversized files, text that is not
 * UTF-8, links that are broken, lead out of the folder or form a circle.
 */
export async function readTree(root: string, environment?: string): Promise<ManifestFile[]> {
  if (isTest(root)) {
    throw new ProblemError(
      'invalid_config',
      `"${root}" holds tests, not records: name the folder, or run them with "servicectl test".`,
    );
  }
  const files = await readFiles(root, (file) => !isTest(file));
  if (files.length === 0) throw emptyFolder(root);
  return [...files, ...(await environmentFiles(root, environment))];
}

/** The folder in a tree's folder that holds a file for each environment. */
export const ENVIRONMENTS = 'environments';

/** The names of the environments of a tree, sorted. */
export async function environmentsIn(root: string): Promise<string[]> {
  const entries = await fs.readdir(path.join(root, ENVIRONMENTS), { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => !entry.isDirectory() && !isSkipped(entry.name) && isRecordFile(entry.name));
  return [...new Set(files.map(({ name }) => name.replace(/\.ya?ml$/i, '')))].sort();
}

/** The refusal of an environment that a tree does not have. `root` is as messages name the tree. */
export function unknownEnvironment(name: string, root: string, known: readonly string[]): ProblemError {
  const has = known.length === 0 ? 'It has none' : `It has ${known.join(', ')}`;
  return new ProblemError(
    'invalid_config',
    `The tree "${root}" has no environment "${name}": there is no ${ENVIRONMENTS}/${name}.yaml. ${has}.`,
  );
}

async function environmentFiles(root: string, environment: string | undefined): Promise<ManifestFile[]> {
  if (environment === undefined) return [];
  if (!/^[^/\\]+$/.test(environment)) throw unknownEnvironment(environment, root, await environmentsIn(root));
  for (const ending of ['yaml', 'yml']) {
    const file = path.join(root, ENVIRONMENTS, `${environment}.${ending}`);
    const target = await fs.realpath(file).catch(() => undefined);
    if (target === undefined) continue;
    if (!target.startsWith((await fs.realpath(root)) + path.sep))
      throw new ProblemError(
        'invalid_config',
        `${file} is a link that leads out of the folder, to ${target}: copy its target into the folder.`,
      );
    return (await readFiles(file, () => true)).map((read) => ({ ...read, isEnvironment: true }));
  }
  throw unknownEnvironment(environment, root, await environmentsIn(root));
}

/** Whether a file of this name in a tree declares records. */
export function isRecordFile(name: string): boolean {
  return isManifest(name) && !isTest(name);
}

/** Whether a tree is read without what has this name: a file or folder. */
export function isSkipped(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** Reads records as `readTree` does, and the tests beside them, which are in files named `*.test.yaml`. */
export async function readTreeAndTests(
  root: string,
  environment?: string,
): Promise<{ records: ManifestFile[]; tests: ManifestFile[] }> {
  const files = await readFiles(root, () => true);
  const tests = files.filter(({ path: file }) => isTest(file));
  const records = files.filter(({ path: file }) => !isTest(file));
  if (records.length === 0) throw emptyFolder(root);
  return { records: [...records, ...(await environmentFiles(root, environment))], tests };
}

/** All files of a tree by what they are: records, environments and tests. A single file is told by its name and its folder. */
export async function readAllFiles(
  root: string,
): Promise<{ file: ManifestFile; kind: 'records' | 'environment' | 'tests' }[]> {
  const kindOf = (file: string, folder: string) =>
    isTest(file) ? 'tests' : folder === ENVIRONMENTS ? 'environment' : 'records';
  const isFile = (await fs.stat(root).catch(() => undefined))?.isFile() ?? false;
  const files = await readFiles(root, () => true, true);
  if (files.length === 0) throw emptyFolder(root);
  return files.map((file) => {
    const folder = isFile
      ? path.basename(path.dirname(path.resolve(root)))
      : (path.relative(root, file.path).split(path.sep)[0] ?? '');
    return { file, kind: kindOf(file.path, folder) };
  });
}

/** Reads the tests alone, as `readTreeAndTests` does. */
export async function readTests(root: string): Promise<ManifestFile[]> {
  return await readFiles(root, isTest);
}

async function readFiles(
  root: string,
  wanted: (file: string) => boolean,
  withEnvironments = false,
): Promise<ManifestFile[]> {
  const faults: ProblemItem[] = [];
  const isOfEnvironment = (file: string) =>
    !withEnvironments && path.relative(root, file).split(path.sep)[0] === ENVIRONMENTS;
  const found = (await findFiles(root, faults)).filter((file) => wanted(file) && !isOfEnvironment(file));
  const files = faults.length === 0 ? await readAll(found, faults) : [];
  const first = faults[0];
  if (first !== undefined) {
    const more = faults.length === 1 ? '' : ` And ${faults.length - 1} more.`;
    throw new ProblemError('invalid_config', `${first.detail}${more}`, faults);
  }
  return files;
}

function emptyFolder(root: string): ProblemError {
  return new ProblemError(
    'invalid_config',
    `There is no *.yaml or *.yml file in "${root}" (not counting hidden files, tests and node_modules): check that it is the right folder.`,
  );
}

async function findFiles(root: string, faults: ProblemItem[]): Promise<string[]> {
  const stats = await tried(faults, root, () => fs.stat(root));
  if (stats === undefined) return [];
  if (stats.isFile()) return [root];
  if (!stats.isDirectory()) {
    faults.push({ pointer: '', detail: `${root} is neither a folder nor a file.` });
    return [];
  }
  const walk = new Walk(await fs.realpath(root), faults);
  await walk.folder(root, [walk.top]);
  return walk.files.sort((left, right) => (left < right ? -1 : 1));
}

class Walk {
  readonly files: string[] = [];
  #entries = 0;

  constructor(
    /** The real path of the folder that nothing may lead out of. */
    readonly top: string,
    readonly faults: ProblemItem[],
  ) {}

  /** `above` holds the real paths of the folders that are being walked, this one last. */
  async folder(folder: string, above: readonly string[]): Promise<void> {
    const entries = await tried(this.faults, folder, () => fs.readdir(folder, { withFileTypes: true }));
    for (const entry of entries ?? []) {
      if (++this.#entries > ENTRIES_MAX) throw tooMany();
      if (isSkipped(entry.name)) continue;
      await this.#entry(path.join(folder, entry.name), entry, above);
    }
  }

  async #entry(at: string, entry: Dirent, above: readonly string[]): Promise<void> {
    if (entry.isSymbolicLink()) return this.#link(at, above);
    if (entry.isDirectory()) return this.folder(at, [...above, path.join(above.at(-1) ?? this.top, entry.name)]);
    if (!isManifest(at)) return;
    if (entry.isFile()) this.files.push(at);
    else this.#fault(`${at} is not a regular file: declarations are read from regular files only.`);
  }

  async #link(at: string, above: readonly string[]): Promise<void> {
    const target = await tried(this.faults, at, () => fs.realpath(at));
    const stats = target === undefined ? undefined : await tried(this.faults, at, () => fs.stat(target));
    if (target === undefined || stats === undefined || !(stats.isDirectory() || isManifest(at))) return;
    if (target !== this.top && !target.startsWith(this.top + path.sep)) {
      this.#fault(`${at} is a link that leads out of the folder, to ${target}: copy its target into the folder.`);
    } else if (stats.isDirectory()) {
      if (above.includes(target)) this.#fault(`${at} is a link to ${target} and part of a circle: remove it.`);
      else await this.folder(at, [...above, target]);
    } else if (stats.isFile()) this.files.push(at);
  }

  #fault(detail: string): void {
    this.faults.push({ pointer: '', detail });
  }
}

function tooMany(): ProblemError {
  return new ProblemError(
    'invalid_config',
    `The folder holds more than ${ENTRIES_MAX} files and folders (those behind links count each time): name a smaller folder.`,
  );
}

function isManifest(file: string): boolean {
  return /\.ya?ml$/i.test(file);
}

function isTest(file: string): boolean {
  return /\.test\.ya?ml$/i.test(file);
}

async function readAll(paths: string[], faults: ProblemItem[]): Promise<ManifestFile[]> {
  const files: (ManifestFile | undefined)[] = [];
  const queue = paths.entries();
  const reader = async (): Promise<void> => {
    for (const [index, file] of queue) {
      const text = await tried(faults, file, () => readText(file));
      if (text !== undefined) files[index] = { path: file.split(path.sep).join('/'), text };
    }
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, reader));
  return files.filter((file) => file !== undefined);
}

async function readText(file: string): Promise<string> {
  const handle = await fs.open(file, 'r');
  try {
    const stats: Stats = await handle.stat();
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size > FILE_BYTES_MAX) throw new Error(`it has more than ${FILE_BYTES_MAX} bytes: split it`);
    const bytes = await handle.readFile();
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } finally {
    await handle.close();
  }
}

/** Meanings of system errors, in words that help the reader of the message. */
const MEANINGS: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'the permission is missing',
  EPERM: 'the permission is missing',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'the path is too long',
  EMFILE: 'too many files are open',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8 text',
};

async function tried<T>(faults: ProblemItem[], file: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = MEANINGS[code ?? ''] ?? message;
    faults.push({ pointer: '', detail: `${file} cannot be read: ${why}.` });
    return undefined;
  }
}
