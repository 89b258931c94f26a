import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';

const FILE = 'bundle.json';
const TEMPORARY = /^bundle\.json\.[0-9a-f-]{36}\.tmp$/;

/** A cached bundle: the bytes of `bundle.json`, not yet checked. */
export interface CachedBundle {
  bytes: Buffer;
  /** When the cloud last confirmed it: the time of the file. */
  confirmedAtMs: number;
}

/**
 * The last good bundle on disk, so that a restarted agent is ready at once. A reader finds a whole bundle or none: the
 * file is replaced by renaming a written and synced one over it, and it holds personal data, so only its owner reads it.
 */
export class BundleCache {
  readonly path: string;

  constructor(
    private readonly dir: string,
    private readonly bytesMax: number,
  ) {
    this.path = join(dir, FILE);
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
      return { bytes: await file.readFile(), confirmedAtMs: mtimeMs };
    } finally {
      await file.close();
    }
  }

  /** Replaces the cached bundle; when this returns, it survives a crash of the machine. */
  async write(bytes: Uint8Array): Promise<void> {
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    const temporary = join(this.dir, `${FILE}.${randomUUID()}.tmp`);
    try {
      await writeSynced(temporary, bytes);
      await rename(temporary, this.path);
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

  /** Notes that the cloud confirmed the cached bundle just now; false where the file is gone. */
  async confirm(): Promise<boolean> {
    const now = new Date();
    return utimes(this.path, now, now).then(
      () => true,
      // Anything else, like a read-only disk, leaves the file as good as it was.
      (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
    );
  }
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
