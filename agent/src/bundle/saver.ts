import type { Secret } from '@authz-service/core/secret';
import type { Logger } from '../log.js';
import type { Served } from './agent-state.js';
import { apiKeyHash } from './api-key-hash.js';
import type { BundleCache } from './cache.js';
import { ContestedCache } from './delta-log.js';
import type { Trust } from './trust.js';

const CONTESTED_SAID_EVERY_MS = 60 * 60_000;

/** Keeps the cache equal to what is served. A cache that cannot be written costs a warm start, not an answer. */
export class Saver {
  #contestedSaidAtMs = Number.NEGATIVE_INFINITY;

  /** `trust`: what the cache has of the keys. */
  constructor(
    private readonly cache: BundleCache,
    private readonly apiKey: Secret,
    private trust: Trust,
    private readonly log: Logger,
  ) {}

  /** Whether all that is served is on disk. */
  get saved(): boolean {
    return this.cache.saved;
  }

  /** Has `write` put what is going to be served on disk, and notes what that is; a failure is said in the log. */
  async save(served: Served, trust: Trust, write: () => Promise<void>): Promise<void> {
    const { saved } = this.cache;
    const faults: unknown[] = [];
    const attempt = (work: () => Promise<void>) => work().catch((error: unknown) => void faults.push(error));
    // The keys come first: without them what follows could not be verified after a restart.
    await attempt(() => this.#saveKeys(trust));
    await attempt(write);
    const [fault] = faults;
    // What cannot be written is missed at the next start; what is another's in a shared folder is not this one's to note.
    if (!(fault instanceof ContestedCache)) await attempt(() => this.#noteServed(served));
    if (faults.length > 0 && saved) this.#sayUnsaved(faults[0] as Error);
  }

  /**
   * The cloud has nothing newer than what is served, so what is on disk is as good as fetched now. False where the whole
   * bundle is needed to put right what is there.
   */
  async confirm(served: Served, trust: Trust): Promise<boolean> {
    if (!this.cache.saved) await this.save(served, trust, () => this.cache.flush());
    try {
      // Somebody may have cleared the folder.
      if (!(await this.cache.confirm())) return false;
    } catch (error) {
      this.#sayUnsaved(error as Error);
      return false;
    }
    // It may have come by another API key, or not have been noted for want of room.
    await this.#noteServed(served).catch(() => {});
    return true;
  }

  async #saveKeys(trust: Trust): Promise<void> {
    if (trust === this.trust && this.cache.saved && (await this.cache.hasKeys())) return;
    await this.cache.writeKeys({ keys: trust.roots, announcements: trust.announcements });
    this.trust = trust;
  }

  #noteServed({ tenant, revision }: Served): Promise<void> {
    return this.cache.writeLastServed({ tenant, revision, keyHash: apiKeyHash(this.apiKey, tenant.id) });
  }

  #sayUnsaved(fault: Error): void {
    if (fault instanceof ContestedCache) {
      // It comes back at each poll as long as both run.
      if (performance.now() < this.#contestedSaidAtMs + CONTESTED_SAID_EVERY_MS) return;
      this.#contestedSaidAtMs = performance.now();
    }
    this.log.error({ path: this.cache.path, error: fault.message }, 'bundle cannot be cached, serving it from memory');
  }
}
