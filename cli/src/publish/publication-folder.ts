import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isKeyFolder, KEYS_FILE, POINTER_FILE, publishedFile } from '@authz-service/core/bundle/publication';
import { compareTokens } from '@authz-service/core/state/revision';
import { UsageError } from '../errors/usage-error.js';

/** The folder in which files are written before they are in place. */
const UNFINISHED = '.unfinished';
const TEMPORARY = /^[0-9a-f-]{36}\.tmp$/;
/** The age after which files were left by a process that was killed, or are named by no pointer that a cache may still hold. */
const ABANDONED_MS = 60 * 60_000;
/**
 * The number of whole bundles that stay before the one that the pointer names, with those replaced in the last minute:
 * caches may hold pointers to them.
 */
const BUNDLES_KEPT = 2;
const BUNDLES_KEPT_MS = 60_000;

/**
 * A folder that a web server distributes. A reader finds whole files alone: each is written and synced elsewhere, and then
 * put in place. All but the pointer and the keys stay as they are once they are there, whoever else writes to the folder.
 */
export class PublicationFolder {
  constructor(readonly path: string) {}

  /** Creates the folder. Throws a usage error if it holds what was not published, and nothing that was. */
  async open(): Promise<void> {
    await mkdir(this.path, { recursive: true });
    const entries = await readdir(this.path);
    const own = (name: string) => name === UNFINISHED || name === KEYS_FILE || isKeyFolder(name);
    const strange = entries.find((name) => !own(name));
    if (strange !== undefined && !entries.includes(POINTER_FILE)) {
      const detail = `"${this.path}" holds "${strange}" and was not written by "servicectl bundle publish": name a folder that is empty or new.`;
      throw new UsageError(detail);
    }
    await mkdir(join(this.path, UNFINISHED), { recursive: true });
    for (const name of await readdir(join(this.path, UNFINISHED)))
      if (TEMPORARY.test(name)) await this.#removeOlder(join(this.path, UNFINISHED, name), ABANDONED_MS);
  }

  /** Undefined if there is none. */
  readPointer(): Promise<string | undefined> {
    return this.#read(POINTER_FILE).then((bytes) => bytes?.toString());
  }

  /** The bytes of a published file; undefined if there is none. */
  read(path: string): Promise<Buffer | undefined> {
    return this.#read(path);
  }

  /** Puts a file in place. Returns false if there is one already, which stays. */
  async add(path: string, bytes: Uint8Array): Promise<boolean> {
    const target = join(this.path, path);
    await mkdir(dirname(target), { recursive: true });
    const placed = await this.#written(bytes, async (temporary) => {
      try {
        await link(temporary, target);
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException;
        if (code === 'EEXIST') return false;
        // Some file systems know no links. Two that put the same file in place at once both put a good one.
        if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error;
        if ((await stat(target).catch(() => undefined)) !== undefined) return false;
        await rename(temporary, target);
      }
      return true;
    });
    await synced(dirname(target));
    return placed;
  }

  /** Removes a file that turned out to be damaged. */
  async remove(path: string): Promise<void> {
    await rm(join(this.path, path), { force: true });
  }

  /** Removes the changes that start at a revision or after it. */
  async removeChanges(kid: string, from: string): Promise<void> {
    for (const { is, name, revision } of await this.#published(kid))
      if (is === 'delta' && compareTokens(revision, from) >= 0) await this.remove(join(kid, name));
  }

  /** Makes the age of a bundle, and of what comes after it, begin now: a pointer to it is about to be replaced. */
  async keepFrom(kid: string, bundle: string): Promise<void> {
    const now = new Date();
    // It may be another user's, or gone.
    for (const { name, revision } of await this.#published(kid))
      if (compareTokens(revision, bundle) >= 0) await utimes(join(this.path, kid, name), now, now).catch(() => {});
  }

  writeKeys(text: string): Promise<void> {
    return this.#replace(KEYS_FILE, text);
  }

  /** Makes agents see what was added. */
  writePointer(text: string): Promise<void> {
    return this.#replace(POINTER_FILE, text);
  }

  /**
   * Removes what neither the pointer nor an agent close behind it needs: bundles before the one that the pointer names and
   * the two before it, changes that start before that bundle except the newest `keep`, and what was signed by other keys and
   * replaced an hour ago. Files with other names stay.
   */
  async prune({ kid, bundle, keep }: { kid: string; bundle: string; keep: number }): Promise<void> {
    const published = await this.#published(kid);
    for (const is of ['bundle', 'delta'] as const) {
      const before = published.filter((file) => file.is === is && compareTokens(file.revision, bundle) < 0);
      const last = before.sort((left, right) => compareTokens(right.revision, left.revision));
      const [least, ms] = is === 'bundle' ? [BUNDLES_KEPT, BUNDLES_KEPT_MS] : [keep, 0];
      for (const { name } of last.slice(least)) await this.#removeOlder(join(this.path, kid, name), ms);
    }
    for (const other of await readdir(this.path)) {
      if (!isKeyFolder(other) || other === kid) continue;
      for (const { name } of await this.#published(other))
        await this.#removeOlder(join(this.path, other, name), ABANDONED_MS);
      await rmdir(join(this.path, other)).catch(() => {});
    }
  }

  async #published(kid: string) {
    const names = await readdir(join(this.path, kid)).catch(() => []);
    return names.flatMap((name) => {
      const file = publishedFile(name);
      return file === undefined ? [] : [{ name, ...file }];
    });
  }

  async #replace(name: string, text: string): Promise<void> {
    await this.#written(Buffer.from(text), (temporary) => rename(temporary, join(this.path, name)));
    await synced(this.path);
  }

  /** Writes a file that nobody reads yet and has it put in place; it is gone afterwards. */
  async #written<T>(bytes: Uint8Array, place: (temporary: string) => Promise<T>): Promise<T> {
    const temporary = join(this.path, UNFINISHED, `${randomUUID()}.tmp`);
    try {
      const file = await open(temporary, 'wx', 0o644);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      return await place(temporary);
    } catch (error) {
      // A full disk names no path.
      if (error instanceof Error && 'syscall' in error) Object.assign(error, { path: this.path });
      throw error;
    } finally {
      await rm(temporary, { force: true }).catch(() => {});
    }
  }

  async #read(path: string): Promise<Buffer | undefined> {
    try {
      return await readFile(join(this.path, path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #removeOlder(path: string, ms: number): Promise<void> {
    const { mtimeMs = Number.NaN } = (await stat(path).catch(() => undefined)) ?? {};
    if (Date.now() - mtimeMs >= ms) await rm(path, { force: true });
  }
}

/** Syncs a folder, so that what comes later does not survive a loss of power alone. Not every file system can. */
async function synced(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
