import type { Secret } from '@authz-service/core/values/secret';
import { apiKeyHash } from '../cache/api-key-hash.js';
import type { BundleCache } from '../cache/cache.js';
import { ContestedCache } from '../cache/delta-log.js';
import type { Logger } from '../log.js';
import { type Served, tenantRevision } from './served.js';
import type { Trust } from './trust.js';

const CONTESTED_SAID_EVERY_MS = 60 * 60_000;

/** Keeps the cache equal to what is served. A cache that cannot be written costs a warm start but never an answer. */
export class Saver {
  #contestedSaidAtMs = Number.NEGATIVE_INFINITY;

  /** `trust` is what the cache holds of the keys. */
  constructor(
    private readonly cache: BundleCache,
    private readonly apiKey: Secret,
    private trust: Trust,
    private readonly log: Logger,
  ) {}

  /** Whether everything that is served is on disk. */
  get saved(): boolean {
    return this.cache.saved;
  }

  /** Has `write` store what is about to be served, and notes what that is. Failures are logged. */
  async save(served: Served, trust: Trust, write: () => Promise<void>): Promise<void> {
    const { saved } = this.cache;
    const faults: unknown[] = [];
    const attempt = (work: () => Promise<void>) => work().catch((error: unknown) => void faults.push(error));
    // The keys come first: without them, the rest could not be verified after a restart.
    await attempt(() => this.#saveKeys(trust));
    await attempt(write);
    const [fault] = faults;
    // What cannot be written is missing at the next start. If another agent shares the folder, its files are not
    // overwritten with this note.
    if (!(fault instanceof ContestedCache)) await attempt(() => this.#noteServed(served));
    if (faults.length > 0 && saved) this.#sayUnsaved(faults[0] as Error);
  }

  /**
   * The cloud has nothing newer than what is served, so the files on disk are as good as fetched now. Returns false if
   * the whole bundle is needed to repair them.
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
    // It may have been fetched with another API key, or the note was not written for lack of space.
    await this.#noteServed(served).catch(() => {});
    return true;
  }

  /** Keeps the cloud's statement of when what is served was the newest. Without it, its age is unknown after a restart. */
  async saveNewest(jws: string): Promise<void> {
    await this.cache.writeNewest(jws).catch(() => {});
  }

  async #saveKeys(trust: Trust): Promise<void> {
    if (trust === this.trust && this.cache.saved && (await this.cache.hasKeys())) return;
    const { roots: keys, announcements, epoch } = trust;
    await this.cache.writeKeys({ keys, announcements, ...(epoch && { epoch: epoch.jws }) });
    this.trust = trust;
  }

  #noteServed(served: Served): Promise<void> {
    const { tenant, epoch } = served;
    const revision = tenantRevision(served);
    const of = epoch && { epoch: { number: epoch.number, id: epoch.id } };
    return this.cache.writeLastServed({ tenant, revision, keyHash: apiKeyHash(this.apiKey, tenant.id), ...of });
  }

  #sayUnsaved(fault: Error): void {
    if (fault instanceof ContestedCache) {
      // Two agents in one folder cause this at each poll as long as both run.
      if (performance.now() < this.#contestedSaidAtMs + CONTESTED_SAID_EVERY_MS) return;
      this.#contestedSaidAtMs = performance.now();
    }
    this.log.error({ path: this.cache.path, error: fault.message }, 'bundle cannot be cached, serving it from memory');
  }
}
