import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../log.js';
import { makeFolder } from './cache.js';

const FILE = 'max-age';

/**
 * The maximum age that the cloud goes by, kept beside the cache. An agent that is silent counts as expired once that has
 * run out (docs/decisions/0041), so a restart with a longer one must not decide past it before the cloud knows of that.
 */
export class KeptMaxAge {
  /** In milliseconds, infinite for none; undefined if nothing is kept. */
  #kept: number | undefined;
  readonly #path: string;

  constructor(
    private readonly dir: string,
    private readonly log: Logger,
  ) {
    this.#path = join(dir, FILE);
  }

  /**
   * Returns the maximum age of an earlier run, in milliseconds, if it is smaller than the one of this run. A smaller one of
   * this run is kept at once, since the cloud may learn of it by a poll whose answer is lost.
   */
  async begin(maxAgeMs = Number.POSITIVE_INFINITY): Promise<number | undefined> {
    this.#kept = await this.#read();
    if (this.#kept === undefined) return undefined;
    if (this.#kept < maxAgeMs) return this.#kept;
    await this.keep(maxAgeMs);
    return undefined;
  }

  /** Keeps the maximum age of this run, once the cloud has answered a poll that names it. Failures are logged. */
  async keep(maxAgeMs = Number.POSITIVE_INFINITY): Promise<void> {
    if (maxAgeMs === this.#kept) return;
    const temporary = `${this.#path}.${randomUUID()}.tmp`;
    try {
      await makeFolder(this.dir);
      await writeFile(temporary, `${Number.isFinite(maxAgeMs) ? maxAgeMs : 'none'}\n`, { mode: 0o600 });
      await rename(temporary, this.#path);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      const { message } = error as Error;
      this.log.warn({ path: this.#path, error: message }, 'the maximum age cannot be kept for the next run');
    }
    this.#kept = maxAgeMs;
  }

  async #read(): Promise<number | undefined> {
    try {
      const text = (await readFile(this.#path, 'utf8')).trim();
      if (text === 'none') return Number.POSITIVE_INFINITY;
      if (/^\d{1,15}$/.test(text)) return Number(text);
      throw new Error(`it holds "${text.slice(0, 100)}" and not milliseconds`);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      this.log.warn(
        { path: this.#path, error: message },
        'the maximum age of the last run cannot be read: nothing is decided until the cloud answers',
      );
      return 0;
    }
  }
}
