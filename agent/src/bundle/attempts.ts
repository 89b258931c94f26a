import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { ProblemError } from '@authz-service/core/problem';

const FILE = 'activating.json';
/** So often a process may end in the midst before the next one leaves whole bundles alone for so long. */
const IN_VAIN_MAX = 3;
const REST_MS = 15 * 60_000;
const MIB = 1024 * 1024;

/**
 * Counts the processes that ended while they took in a whole bundle, mostly for want of memory: for its time there are two
 * of them in it. Restarted for ever, an agent would hardly answer; one that stops trying serves what it has.
 */
export class Attempts {
  readonly #path: string;
  readonly #heapMib = Math.round(getHeapStatistics().heap_size_limit / MIB);
  #underWay = false;

  constructor(cacheDir: string) {
    this.#path = join(cacheDir, FILE);
  }

  /** Begins what may end the process. Throws `payload_too_large` where it has done so too often. */
  async begin(): Promise<void> {
    const inVain = await this.#inVain();
    // What cannot be noted is not counted: it is no reason not to follow the cloud.
    const note = JSON.stringify({ inVain: inVain + 1, heapMib: this.#heapMib });
    this.#underWay = true;
    await writeFile(this.#path, note, { mode: 0o600 }).catch(() => {});
  }

  /** To be called where that has ended, however it did, and where a process ends as it should: then it does not count. */
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
      `The agent has ended ${IN_VAIN_MAX} times while it took in a whole bundle, and tries again after ${REST_MS / 60_000} minutes. ` +
        `Start it with more memory than its heap of ${this.#heapMib} MiB, by NODE_OPTIONS=--max-old-space-size=MIB or a larger limit of ` +
        `its container; if it was ended by something else, remove ${FILE} from its cache directory.`,
    );
  }
}
