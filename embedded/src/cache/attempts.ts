import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { ProblemError } from '@authz-service/core/problem';

const FILE = 'activating.json';
/**
 * After this many processes that ended in the middle, the next one waits this long before it takes in whole bundles
 * again.
 */
const IN_VAIN_MAX = 3;
const REST_MS = 15 * 60_000;
const MIB = 1024 * 1024;

/**
 * Counts the processes that ended while they took in a whole bundle, usually for lack of memory, since they hold two
 * bundles for that time. An agent that is restarted for ever would hardly answer; one that stops trying serves what it
 * has.
 */
export class Attempts {
  readonly #path: string;
  readonly #heapMib = Math.round(getHeapStatistics().heap_size_limit / MIB);
  #underWay = false;

  constructor(cacheDir: string) {
    this.#path = join(cacheDir, FILE);
  }

  /** Begins the work that may end the process. Throws `payload_too_large` if it has done so too often. */
  async begin(): Promise<void> {
    const inVain = await this.#inVain();
    // If this cannot be noted, it is not counted: that is no reason to stop following the cloud.
    const note = JSON.stringify({ inVain: inVain + 1, heapMib: this.#heapMib });
    this.#underWay = true;
    await writeFile(this.#path, note, { mode: 0o600 }).catch(() => {});
  }

  /** Call this when the work has ended, in whatever way, and when the process ends normally: then it does not count. */
  async end(): Promise<void> {
    if (!this.#underWay) return;
    this.#underWay = false;
    await rm(this.#path, { force: true }).catch(() => {});
  }

  async #inVain(): Promise<number> {
    try {
      const { inVain, heapMib } = JSON.parse(await readFile(this.#path, 'utf8'));
      if (!Number.isSafeInteger(inVain) || heapMib !== this.#heapMib) return 0;
      const ageMs = Date.now() - (await stat(this.#path)).mtimeMs;
      if (inVain < IN_VAIN_MAX || Math.abs(ageMs) > REST_MS) return inVain;
    } catch {
      return 0;
    }
    throw new ProblemError(
      'payload_too_large',
      `The agent ended ${IN_VAIN_MAX} times while it took in a whole bundle, and tries again after ${REST_MS / 60_000} minutes. ` +
        `Give it more memory than its heap of ${this.#heapMib} MiB, with NODE_OPTIONS=--max-old-space-size=MIB or a larger limit for ` +
        `its container. If something else ended it, remove ${FILE} from its cache directory.`,
    );
  }
}
