import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
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
const TEMPORARY = /^(bundle|bundle-keys|served)\.(json|jws)\.[0-9a-f-]{36}\.tmp$/;
/** Named by the bundle that the deltas come after, so that they cannot be taken for changes to another one. */
const deltasOf = (sha256: string) => `deltas-${sha256.slice(0, 16)}.log`;
const DELTAS = /^deltas-[0-9a-f]{16}\.log$/;

/** A cached bundle, not yet checked. */
export interface CachedBundle {
  /** To be closed once they have been read. */
  bytes: FileBytes;
  /** One of them is of these bytes. */
  signatures: string[];
  /** When the cloud last confirmed it: the time of the file. */
  confirmedAtMs: number;
}

/** A bundle as it came. */
export interface SignedBundle {
  /** The bytes of `bundle.json`. */
  bytes: Spool;
  jws: string;
  /** Of the bytes, in hex. */
  sha256: string;
}

/** What is on disk as the base of deltas, or will be once it can be written. */
interface Base {
  jws: string;
  /** The first of the signatures on disk, which every other bundle that is written there replaces. */
  mark: string | undefined;
  sha256: string;
  bytes: number;
  deltas: DeltaLog;
}

/**
 * What was served last on disk, so that a restarted agent is ready at once: a bundle, the deltas after it, and what is
 * needed to verify them again. A reader finds whole files: each is replaced by renaming a written and synced one over
 * it, and deltas are appended (`DeltaLog`). They hold personal data, so only their owner reads them.
 */
export class BundleCache {
  readonly path: string;
  readonly keysPath: string;
  #base: Base | undefined;
  /** What could not be written yet: in place of what is there, and after it. */
  #unsaved: { bundle: SignedBundle | undefined; deltas: SignedDelta[] } = { bundle: undefined, deltas: [] };
  /** What the cache says was served last, as JSON. */
  #lastServed: string | undefined;

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
      return { bytes: new FileBytes(file, size), signatures: await this.#signatures(), confirmedAtMs: mtimeMs };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /**
   * The deltas after the cached bundle, which was found good. Those after any other one are removed. Throws
   * `invalid_bundle` where they are damaged.
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

  /** Whether the last of the deltas that were read has no end, and so was left out. */
  get cutOff(): boolean {
    return this.#base?.deltas.torn ?? false;
  }

  /** Whether all that was given is on disk. */
  get saved(): boolean {
    return this.#unsaved.bundle === undefined && this.#unsaved.deltas.length === 0;
  }

  /** How much there is to replay after the bundle, and how large that is itself. */
  get chain(): { deltas: number; bytes: number; baseBytes: number } {
    const { bundle, deltas } = this.#unsaved;
    const written = bundle === undefined ? this.#base?.deltas : undefined;
    return {
      deltas: (written?.count ?? 0) + deltas.length,
      bytes: deltas.reduce((sum, { json }) => sum + json.length, written?.bytes ?? 0),
      baseBytes: bundle?.bytes.length ?? this.#base?.bytes ?? 0,
    };
  }

  /** Where a bundle is kept while it comes. */
  async spool(): Promise<Spool> {
    await makeFolder(this.dir).catch(() => {});
    return await Spool.begin(this.#temporary(FILE));
  }

  /** Replaces what is cached; when this returns, it survives a crash of the machine. What failed is kept for `flush`. */
  async write(bundle: SignedBundle): Promise<void> {
    await this.#unsaved.bundle?.bytes.discard();
    this.#unsaved = { bundle, deltas: [] };
    this.#lastServed = undefined;
    await this.flush();
  }

  /** Does the same for a delta to what was written last. Throws `ContestedCache`. */
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
    // Confirms the bundle, too; changes to one that somebody has removed or replaced are worth nothing, and this fails.
    await utimes(this.path, new Date(), new Date());
    await this.#assertOwn(this.#base);
    await this.#base.deltas.append(deltas);
    this.#unsaved.deltas = [];
  }

  /**
   * The signatures of both bundles stand in place before the one takes the other's, so that at any moment there is one
   * for what is there; and with the bundle its deltas change, by their name.
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

  /** Those that cannot be read tell nothing. */
  async #assertOwn({ mark }: Base): Promise<void> {
    const [found] = await this.#signatures();
    if (found !== undefined && found !== mark) throw new ContestedCache();
  }

  /** None where they cannot be read. */
  async #signatures(): Promise<string[]> {
    const lines = (await readFile(join(this.dir, SIGNATURES), 'latin1').catch(() => '')).split('\n');
    return lines.filter((line) => line !== '');
  }

  #baseOf({ bytes, jws, sha256 }: { jws: string; sha256: string; bytes: { length: number } }): Base {
    const deltas = new DeltaLog(join(this.dir, deltasOf(sha256)));
    return { jws, mark: jws, sha256, bytes: bytes.length, deltas };
  }

  /** The keys trusted in an earlier run; undefined where there are none. Throws where they cannot be read. */
  async readKeys(): Promise<ServedKeys | undefined> {
    const text = await this.#text(KEYS);
    return text === undefined ? undefined : readServedKeys(text);
  }

  /** Whether there is a file of keys. */
  async hasKeys(): Promise<boolean> {
    return await present(stat(this.keysPath));
  }

  async writeKeys(keys: { keys: readonly object[]; announcements: readonly string[] }): Promise<void> {
    await makeFolder(this.dir);
    await this.#replace(KEYS, `${JSON.stringify(keys, undefined, 2)}\n`);
  }

  /** Undefined where it is not known. Throws where that cannot be read. */
  async readLastServed(): Promise<LastServed | undefined> {
    this.#lastServed = await this.#text(SERVED);
    return this.#lastServed === undefined ? undefined : parseLastServed(this.#lastServed);
  }

  /**
   * Notes what is going to be served, before it is: whatever is lost of the cache afterwards, a restarted agent knows that
   * something is. When this returns, it survives a crash of the machine.
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
   * Notes that the cloud confirmed just now what is cached; false where a file of it is gone that is not to be written.
   * Throws `ContestedCache`.
   */
  async confirm(): Promise<boolean> {
    if (this.#unsaved.bundle !== undefined) return true;
    if (this.#base !== undefined) await this.#assertOwn(this.#base);
    const now = new Date();
    const there = await Promise.all([
      present(utimes(this.path, now, now)),
      present(stat(join(this.dir, SIGNATURES))),
      present(stat(join(this.dir, SERVED))),
      this.#base?.deltas.isThere() ?? true,
      this.hasKeys(),
    ]);
    return there.every(Boolean);
  }

  async #replace(name: string, content: string): Promise<void> {
    const temporary = this.#temporary(name);
    try {
      await writeSynced(temporary, content);
      await putInPlace(temporary, join(this.dir, name));
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

async function writeSynced(path: string, content: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
