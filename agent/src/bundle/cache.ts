import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readServedKeys, type ServedKeys } from '@authz-service/core/bundle/served-keys';
import { ProblemError } from '@authz-service/core/problem';

const FILE = 'bundle.json';
const SIGNATURES = 'bundle.jws';
const KEYS = 'bundle-keys.json';
const TEMPORARY = /^bundle(-keys)?\.(json|jws)\.[0-9a-f-]{36}\.tmp$/;

/** A cached bundle, not yet checked. */
export interface CachedBundle {
  json: Buffer;
  /** One of them is of these bytes. */
  signatures: string[];
  /** When the cloud last confirmed it: the time of the file. */
  confirmedAtMs: number;
}

/**
 * The last good bundle on disk, so that a restarted agent is ready at once, and what is needed to verify it again. A
 * reader finds whole files: each is replaced by renaming a written and synced one over it. They hold personal data, so
 * only their owner reads them.
 */
export class BundleCache {
  readonly path: string;
  readonly keysPath: string;
  /** The signature of the bundle on disk. */
  #jws: string | undefined;

  constructor(
    private readonly dir: string,
    private readonly bytesMax: number,
  ) {
    this.path = join(dir, FILE);
    this.keysPath = join(dir, KEYS);
  }

  /** Removes what a process killed while writing left behind; returns how many files. */
  async clean(): Promise<number> {
    const leftovers = (await readdir(this.dir).catch(() => [])).filter((name) => TEMPORARY.test(name));
    await Promise.all(leftovers.map((name) => rm(join(this.dir, name), { force: true })));
    return leftovers.length;
  }

  /** Undefined where there is none. Throws where there is one that cannot be read. */
  async read(): Promise<CachedBundle | undefined> {
    let file: Awaited<ReturnType<typeof open>>;
    try {
      file = await open(this.path, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    try {
      const { size, mtimeMs } = await file.stat();
      if (size > this.bytesMax) {
        throw new ProblemError('invalid_bundle', `It has ${size} bytes, more than the ${this.bytesMax} allowed.`);
      }
      const lines = (await readFile(join(this.dir, SIGNATURES), 'latin1').catch(() => '')).split('\n');
      const signatures = lines.filter((line) => line !== '');
      return { json: await file.readFile(), signatures, confirmedAtMs: mtimeMs };
    } finally {
      await file.close();
    }
  }

  /** The signature by which the cached bundle was found good. */
  verified(jws: string): void {
    this.#jws = jws;
  }

  /**
   * Replaces the cached bundle; when this returns, it survives a crash of the machine. The signatures of both bundles
   * stand in place before the one takes the other's, so that at any moment there is one for what is there.
   */
  async write({ json, jws }: { json: Uint8Array; jws: string }): Promise<void> {
    await makeFolder(this.dir);
    const before = this.#jws === undefined || this.#jws === jws ? [] : [this.#jws];
    await this.#replace(SIGNATURES, [jws, ...before, ''].join('\n'));
    await this.#replace(FILE, json);
    this.#jws = jws;
  }

  /** The keys trusted in an earlier run; undefined where there are none. Throws where they cannot be read. */
  async readKeys(): Promise<ServedKeys | undefined> {
    try {
      return readServedKeys(await readFile(this.keysPath, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Whether there is a file of keys. */
  async hasKeys(): Promise<boolean> {
    return await present(stat(this.keysPath));
  }

  async writeKeys(keys: { keys: readonly object[]; announcements: readonly string[] }): Promise<void> {
    await makeFolder(this.dir);
    await this.#replace(KEYS, `${JSON.stringify(keys, undefined, 2)}\n`);
  }

  /** Notes that the cloud confirmed the cached bundle just now; false where a file of it is gone. */
  async confirm(): Promise<boolean> {
    const now = new Date();
    const [bundle, signatures, keys] = await Promise.all([
      present(utimes(this.path, now, now)),
      present(stat(join(this.dir, SIGNATURES))),
      this.hasKeys(),
    ]);
    return bundle && signatures && keys;
  }

  async #replace(name: string, content: Uint8Array | string): Promise<void> {
    const temporary = join(this.dir, `${name}.${randomUUID()}.tmp`);
    try {
      await writeSynced(temporary, content);
      await rename(temporary, join(this.dir, name));
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
    const dir = await open(this.dir, 'r');
    try {
      await dir.sync();
    } finally {
      await dir.close();
    }
  }
}

/**
 * Makes a folder and those above it. Node's own recursive `mkdir` tries for ever where a folder is there and nothing can
 * be made in it but the answer is ENOENT, as in /proc; here each folder is tried twice at most.
 */
async function makeFolder(dir: string): Promise<void> {
  try {
    await makeOne(dir);
  } catch (error) {
    const above = dirname(dir);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === dir) throw error;
    await makeFolder(above);
    await makeOne(dir);
  }
}

async function makeOne(dir: string): Promise<void> {
  try {
    await mkdir(dir, { mode: 0o700 });
  } catch (error) {
    const there = await stat(dir).catch(() => undefined);
    if (there?.isDirectory() !== true) throw error;
  }
}

/** Anything else than its absence, like a read-only disk, leaves a file as good as it was. */
function present(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}

async function writeSynced(path: string, content: Uint8Array | string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
