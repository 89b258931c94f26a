import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readServedKeys, type ServedKeys } from '@authz-service/core/bundle/served-keys';
import { ProblemError } from '@authz-service/core/problem';
import { ContestedCache, DeltaLog, putInPlace, type SignedDelta } from './delta-log.js';
import { FileBytes } from './file-bytes.js';
import { type LastServed, parseLastServed } from './last-served.js';
import { Spool } from './spool.js';

const FILE = 'bundle.json';
const SIGNATURES = 'bundle.jws';
const KEYS = 'bundle-keys.json';
const SERVED = 'served.json';
const NEWEST = 'newest.jws';
const TEMPORARY = /^(bundle|bundle-keys|served|newest)\.(json|jws)\.[0-9a-f-]{36}\.tmp$/;
/** Named after the bundle that the deltas follow, so that they cannot be mistaken for changes to another one. */
const deltasOf = (sha256: string) => `deltas-${sha256.slice(0, 16)}.log`;
const DELTAS = /^deltas-[0-9a-f]{16}\.log$/;

/** A cached bundle that has not been checked yet. */
export interface CachedBundle {
  /** An open file. */
  bytes: FileBytes;
  /** Closes the file. Call it once the bytes have been read. */
  close(): Promise<void>;
  /** The signatures; one of them belongs to these bytes. */
  signatures: string[];
  /** When the cloud last confirmed it: the modification time of the file. */
  confirmedAtMs: number;
}

/** The cached bundle on disk, and the deltas that came after it. */
export interface CachedBase {
  path: string;
  sha256: string;
  deltasPath: string;
  /** The largest size, in bytes, of either file. */
  bytesMax: number;
}

/** A bundle as it arrived. */
export interface SignedBundle {
  /** The bytes of `bundle.json`. */
  bytes: Spool;
  jws: string;
  /** The SHA-256 of the bytes, in hex. */
  sha256: string;
}

/** The bundle on disk that deltas follow, or the one that will be there once it can be written. */
interface Base {
  jws: string;
  /** The first of the signatures on disk, which the signature of every later bundle replaces. */
  mark: string | undefined;
  sha256: string;
  bytes: number;
  deltas: DeltaLog;
}

/**
 * Keeps what was served last on disk, so that a restarted agent is ready at once: a bundle, the deltas after it, and
 * what is needed to verify them again. A reader always finds whole files: a file is replaced by renaming a written and
 * synced one over it, and deltas are appended (`DeltaLog`). They hold personal data, so only their owner can read them.
 */
export class BundleCache {
  readonly path: string;
  readonly keysPath: string;
  #base: Base | undefined;
  /** The bundle and deltas that could not be written yet: a replacement of what is there, and what follows it. */
  #unsaved: { bundle: SignedBundle | undefined; deltas: SignedDelta[] } = { bundle: undefined, deltas: [] };
  /** The cache's record of what was served last, as JSON. */
  #lastServed: string | undefined;

  constructor(
    private readonly dir: string,
    private readonly bytesMax: number,
  ) {
    this.path = join(dir, FILE);
    this.keysPath = join(dir, KEYS);
  }

  /** Removes the unfinished files of a process that was killed while writing; returns their number. */
  async clean(): Promise<number> {
    const leftovers = (await readdir(this.dir).catch(() => [])).filter((name) => TEMPORARY.test(name));
    await Promise.all(leftovers.map((name) => rm(join(this.dir, name), { force: true })));
    return leftovers.length;
  }

  /** Undefined if there is none. Throws if there is one that cannot be read. */
  async read(): Promise<CachedBundle | undefined> {
    let file: FileHandle;
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
      const bytes = new FileBytes(file.fd, size);
      return { bytes, close: () => file.close(), signatures: await this.#signatures(), confirmedAtMs: mtimeMs };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /**
   * The deltas after the cached bundle, which was found valid. Deltas after any other bundle are removed. Throws
   * `invalid_bundle` if they are damaged.
   */
  async deltasAfter(bundle: { jws: string; sha256: string; bytes: { length: number } }): Promise<SignedDelta[]> {
    const { sha256 } = bundle;
    const [mark] = await this.#signatures();
    const base = { ...this.#baseOf(bundle), mark };
    const others = (await readdir(this.dir)).filter((name) => DELTAS.test(name) && name !== deltasOf(sha256));
    await Promise.all(others.map((name) => rm(join(this.dir, name), { force: true }).catch(() => {})));
    const deltas = await base.deltas.read(this.bytesMax);
    this.#base = base;
    return deltas;
  }

  /** Whether the last delta is incomplete and was therefore left out. */
  get cutOff(): boolean {
    return this.#base?.deltas.torn ?? false;
  }

  /** Whether everything that was passed to the cache is on disk. */
  get saved(): boolean {
    return this.#unsaved.bundle === undefined && this.#unsaved.deltas.length === 0;
  }

  /** How much there is to replay after the bundle, and how large the bundle is. */
  get chain(): { deltas: number; bytes: number; baseBytes: number } {
    const { bundle, deltas } = this.#unsaved;
    const written = bundle === undefined ? this.#base?.deltas : undefined;
    return {
      deltas: (written?.count ?? 0) + deltas.length,
      bytes: deltas.reduce((sum, { json }) => sum + json.length, written?.bytes ?? 0),
      baseBytes: bundle?.bytes.length ?? this.#base?.bytes ?? 0,
    };
  }

  /** Undefined while something is not on disk yet. */
  get base(): CachedBase | undefined {
    if (this.#base === undefined || !this.saved) return undefined;
    const { sha256 } = this.#base;
    return { path: this.path, sha256, deltasPath: join(this.dir, deltasOf(sha256)), bytesMax: this.bytesMax };
  }

  /** Opens the place where a bundle is kept while it arrives. */
  async spool(): Promise<Spool> {
    await makeFolder(this.dir).catch(() => {});
    return await Spool.begin(this.#temporary(FILE));
  }

  /** Replaces what is cached; once this returns, it survives a crash of the machine. What fails is kept for `flush`. */
  async write(bundle: SignedBundle): Promise<void> {
    await this.#unsaved.bundle?.bytes.discard();
    this.#unsaved = { bundle, deltas: [] };
    this.#lastServed = undefined;
    await this.flush();
  }

  /** Does the same for a delta that follows what was written last. Throws `ContestedCache`. */
  async append(delta: SignedDelta): Promise<void> {
    this.#unsaved.deltas.push(delta);
    await this.flush();
  }

  /** Writes what could not be written before. */
  async flush(): Promise<void> {
    const { bundle, deltas } = this.#unsaved;
    if (bundle !== undefined) await this.#replaceBase(bundle);
    this.#unsaved.bundle = undefined;
    if (deltas.length === 0) return;
    if (this.#base === undefined) throw new Error('there is no cached bundle that the changes come after');
    // Changes to a bundle that somebody has removed or replaced are useless, and then this fails.
    await stat(this.path);
    await this.#assertOwn(this.#base);
    await this.#base.deltas.append(deltas);
    this.#unsaved.deltas = [];
    await utimes(this.path, new Date(), new Date());
  }

  /**
   * The signatures of both bundles are written before one bundle replaces the other, so that the bundle on disk has its
   * signature at any moment. The deltas change together with the bundle, because they are named after it.
   */
  async #replaceBase(bundle: SignedBundle): Promise<void> {
    await makeFolder(this.dir);
    const former = this.#base;
    const base = this.#baseOf(bundle);
    await base.deltas.remove();
    const before = former === undefined || former.jws === bundle.jws ? [] : [former.jws];
    await this.#replace(SIGNATURES, [bundle.jws, ...before, ''].join('\n'));
    await bundle.bytes.moveTo(this.path);
    this.#base = base;
    if (former !== undefined && former.sha256 !== bundle.sha256) await former.deltas.remove();
  }

  /** Undefined if they cannot be read. */
  async #assertOwn({ mark }: Base): Promise<void> {
    const [found] = await this.#signatures();
    if (found !== undefined && found !== mark) throw new ContestedCache();
  }

  /** None if they cannot be read. */
  async #signatures(): Promise<string[]> {
    const lines = (await readFile(join(this.dir, SIGNATURES), 'latin1').catch(() => '')).split('\n');
    return lines.filter((line) => line !== '');
  }

  #baseOf({ bytes, jws, sha256 }: { jws: string; sha256: string; bytes: { length: number } }): Base {
    const deltas = new DeltaLog(join(this.dir, deltasOf(sha256)));
    return { jws, mark: jws, sha256, bytes: bytes.length, deltas };
  }

  /** The keys trusted in an earlier run; undefined if there are none. Throws if they cannot be read. */
  async readKeys(): Promise<ServedKeys | undefined> {
    const text = await this.#text(KEYS);
    return text === undefined ? undefined : readServedKeys(text);
  }

  /** Whether there is a file of keys. */
  async hasKeys(): Promise<boolean> {
    return await present(stat(this.keysPath));
  }

  async writeKeys(keys: { keys: readonly object[]; announcements: readonly string[]; epoch?: string }): Promise<void> {
    await makeFolder(this.dir);
    await this.#replace(KEYS, `${JSON.stringify(keys, undefined, 2)}\n`);
  }

  /** Undefined if it is not known. Throws if the file cannot be read. */
  async readLastServed(): Promise<LastServed | undefined> {
    this.#lastServed = await this.#text(SERVED);
    return this.#lastServed === undefined ? undefined : parseLastServed(this.#lastServed);
  }

  /**
   * Notes what is about to be served, before it is served: whatever the cache loses later, a restarted agent knows that
   * something is missing. Once this returns, the note survives a crash of the machine.
   */
  async writeLastServed(last: LastServed): Promise<void> {
    const text = `${JSON.stringify(last)}\n`;
    if (text === this.#lastServed) return;
    await this.#replace(SERVED, text);
    this.#lastServed = text;
  }

  async #text(name: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.dir, name), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /**
   * Notes that the cloud has just confirmed what is cached, unless that is older than what is served: its age would be
   * a lie after a restart. Returns false if a file is gone that this method must not write. Throws `ContestedCache`.
   */
  async confirm(): Promise<boolean> {
    if (this.#unsaved.bundle !== undefined) return true;
    if (this.#base !== undefined) await this.#assertOwn(this.#base);
    const now = new Date();
    const there = await Promise.all([
      present(this.saved ? utimes(this.path, now, now) : stat(this.path)),
      present(stat(join(this.dir, SIGNATURES))),
      present(stat(join(this.dir, SERVED))),
      this.#base?.deltas.isThere() ?? true,
      this.hasKeys(),
    ]);
    return there.every(Boolean);
  }

  /** Keeps the cloud's statement of when the bundle was the newest. After a loss of power it may be gone. */
  async writeNewest(jws: string): Promise<void> {
    await this.#put(NEWEST, (temporary) => writeFile(temporary, jws, { mode: 0o600 }), rename);
  }

  /** Undefined if there is none. Throws if it cannot be read. */
  readNewest(): Promise<string | undefined> {
    return this.#text(NEWEST);
  }

  async #replace(name: string, content: string): Promise<void> {
    await this.#put(name, (temporary) => writeSynced(temporary, content), putInPlace);
  }

  /** Has a file written under another name and moved to its place; what fails leaves nothing behind. */
  async #put(
    name: string,
    write: (temporary: string) => Promise<void>,
    move: (from: string, to: string) => Promise<void>,
  ): Promise<void> {
    const temporary = this.#temporary(name);
    try {
      await write(temporary);
      await move(temporary, join(this.dir, name));
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  }

  #temporary(name: string): string {
    return join(this.dir, `${name}.${randomUUID()}.tmp`);
  }
}

/**
 * Makes a folder and those above it. Node's recursive `mkdir` never ends if a folder exists but answers every attempt
 * to create something in it with ENOENT, as /proc does. Here each folder is tried at most twice.
 */
export async function makeFolder(dir: string): Promise<void> {
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

/** Errors other than absence, such as a read-only disk, leave the file as good as it was. */
function present(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}

async function writeSynced(path: string, content: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
