import { ProblemError } from '@authz-service/core/problem';
import type { Logger } from '../log.js';
import type { AgentState } from '../state.js';
import { activate } from './activate.js';
import type { BundleCache } from './cache.js';
import { type BundleSource, type FetchBounds, fetchBundle } from './fetch.js';

/** Every so many failures in a row the log says so as an error. */
const FAILURES_PER_ERROR = 5;

export interface SyncOptions extends BundleSource {
  tenantId?: string;
  pollIntervalMs: number;
  bounds: FetchBounds;
}

/**
 * Keeps the served bundle equal to the cloud's. One poll at a time; the next one starts a poll interval after the start
 * of the last, or at once when that one took longer. Whatever goes wrong, the last good bundle stays.
 */
export class Sync {
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  /** Of the served bundle: it moves on only once a bundle is active, so that one that failed is asked for again. */
  #etag: string | undefined;
  /** What could not be written to the cache yet. */
  #unsaved: Buffer | undefined;
  #lastCause: string | undefined;

  constructor(
    private readonly options: SyncOptions,
    private readonly state: AgentState,
    private readonly cache: BundleCache,
    private readonly log: Logger,
  ) {}

  /** Starts with a poll at once. */
  start(): void {
    const { served } = this.state;
    if (served !== undefined) this.#etag = `"${served.bundleRevision}"`;
    this.#running = this.#loop();
  }

  /** Ends the poll under way and waits for it. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const startedAt = performance.now();
      try {
        await this.#poll();
        this.#succeeded();
      } catch (error) {
        if (!signal.aborted) this.#failed(error);
      }
      await pause(this.options.pollIntervalMs - (performance.now() - startedAt), signal);
    }
  }

  async #poll(): Promise<void> {
    const { options, state } = this;
    const fetched = await fetchBundle(options, this.#etag, options.bounds, this.#stop.signal);
    if (!fetched.changed) {
      await this.#confirmCache();
      return;
    }
    const before = state.served;
    const served = await activate(fetched.json, options.tenantId, before);
    // On disk before it is served: an agent that is killed never comes back with an older revision than callers have seen.
    await this.#save(fetched.json);
    state.replaced(served);
    this.#etag = fetched.etag ?? `"${served.bundleRevision}"`;
    if (before?.revision !== served.revision) {
      this.log.info({ tenant: served.tenant.name, bundle_revision: served.revision }, 'bundle activated');
    }
  }

  #succeeded(): void {
    this.#lastCause = undefined;
    const failures = this.state.syncSucceeded();
    if (failures === 0) return;
    const cache = this.#unsaved === undefined ? 'cache refreshed' : 'cache not refreshed';
    this.log.info(
      { consecutive_failures: failures, bundle_revision: this.state.served?.revision },
      `bundle sync recovered after ${failures} consecutive failures, ${cache}`,
    );
  }

  #failed(error: unknown): void {
    const cause = error instanceof ProblemError ? error.detail : String(error);
    const failures = this.state.syncFailed();
    const fields = { consecutive_failures: failures, sync_age_seconds: this.state.syncAgeSeconds, error: cause };
    // A cause is said when it first shows, so that a wrong API key is known at once and not after five polls.
    if (cause !== this.#lastCause) {
      const unforeseen = error instanceof ProblemError ? {} : { err: error };
      this.log.warn({ ...fields, ...unforeseen }, 'bundle sync failed');
    }
    this.#lastCause = cause;
    if (failures % FAILURES_PER_ERROR !== 0) return;
    const consequence =
      this.state.served === undefined
        ? 'not ready: no bundle has been loaded yet'
        : `serving from cache, last successful sync ${Math.round(this.state.syncAgeSeconds ?? 0)} s ago`;
    this.log.error(fields, `bundle sync failing for ${failures} consecutive attempts, ${consequence}`);
  }

  /** A cache that cannot be written costs a warm start, not an answer. */
  async #save(json: Buffer): Promise<void> {
    try {
      await this.cache.write(json);
      this.#unsaved = undefined;
    } catch (error) {
      if (this.#unsaved === undefined) {
        const { message } = error as Error;
        this.log.error({ path: this.cache.path, error: message }, 'bundle cannot be cached, serving it from memory');
      }
      this.#unsaved = json;
    }
  }

  /** The cloud has nothing newer, so what is on disk is as good as fetched now. What is not there is written again. */
  async #confirmCache(): Promise<void> {
    if (this.#unsaved !== undefined) await this.#save(this.#unsaved);
    // Somebody cleared the folder: without an ETag the next poll brings the whole bundle, and with it a new file.
    else if (!(await this.cache.confirm())) this.#etag = undefined;
  }
}

/** Waits, but not beyond the signal. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return new Promise(setImmediate);
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
