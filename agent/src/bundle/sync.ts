import type { BundleKey } from '@authz-service/core/bundle/signing-key';
import { keyIdOf } from '@authz-service/core/bundle/signing-key';
import type { BundleArchive } from '@authz-service/core/bundle/types';
import { ProblemError } from '@authz-service/core/problem';
import { revisionNumber } from '@authz-service/core/state/revision';
import type { Logger } from '../log.js';
import type { AgentState, Served } from '../state.js';
import { activate, type Verified } from './activate.js';
import type { BundleCache } from './cache.js';
import { type BundleSource, type FetchBounds, fetchBundle, fetchKeys } from './fetch.js';
import { Pace } from './pace.js';
import { SyncLog } from './sync-log.js';
import { follow, type Trust, trusts, verify } from './trust.js';

export interface SyncOptions extends BundleSource {
  tenantId?: string;
  pollIntervalMs: number;
  /** Present where the keys are pinned. */
  bundleJwks?: readonly BundleKey[];
  allowRollback: boolean;
  bounds: FetchBounds;
}

export interface SyncParts {
  state: AgentState;
  cache: BundleCache;
  /** By which keys bundles are believed at the start. */
  trust: Trust;
  log: Logger;
}

/** A bundle that was found good, and the keys by which it was. */
interface Good extends Verified {
  jws: string;
  trust: Trust;
}

/** Keeps the served bundle equal to the cloud's. One poll at a time. Whatever goes wrong, the last good bundle stays. */
export class Sync {
  readonly #stop = new AbortController();
  readonly #pace: Pace;
  readonly #lines: SyncLog;
  readonly #state: AgentState;
  readonly #cache: BundleCache;
  readonly #log: Logger;
  #running: Promise<void> | undefined;
  #trust: Trust;
  /** Of the served bundle: it moves on only once a bundle is active, so that one that failed is asked for again. */
  #etag: string | undefined;
  /** What could not be written to the cache yet. */
  #unsaved: Good | undefined;

  constructor(
    private readonly options: SyncOptions,
    { state, cache, trust, log }: SyncParts,
  ) {
    this.#state = state;
    this.#cache = cache;
    this.#trust = trust;
    this.#log = log;
    this.#lines = new SyncLog(state, log);
    this.#pace = new Pace(options.pollIntervalMs);
    state.syncing.pinned = options.bundleJwks !== undefined;
    this.#showTrust();
  }

  /** Starts with a poll at once. */
  start(): void {
    const { served } = this.#state;
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
      const { waitSeconds } = this.#pace;
      let restMs = 0;
      try {
        const { holds, news } = await this.#poll(waitSeconds);
        const elapsedMs = performance.now() - startedAt;
        restMs = this.#pace.succeeded({ waitSeconds, elapsedMs, holds, news });
        this.#lines.succeeded({ cached: this.#unsaved === undefined });
      } catch (error) {
        const away = error instanceof ProblemError && (error.code === 'network' || error.code === 'timeout');
        restMs = this.#pace.failed({ elapsedMs: performance.now() - startedAt, away });
        if (!signal.aborted) this.#lines.failed(error);
      }
      this.#state.syncing.longPoll = this.#pace.holds;
      await pause(restMs, signal);
    }
  }

  async #poll(waitSeconds: number): Promise<{ holds: boolean; news: boolean }> {
    const { options } = this;
    this.#state.syncing.requestedAtMs = Date.now();
    const fetched = await fetchBundle(options, { etag: this.#etag, waitSeconds }, options.bounds, this.#stop.signal);
    if (!fetched.changed) {
      await this.#confirmCache();
      // The same bundle under a key that has not been heard of: the signature that is had may not count for long.
      if (fetched.key !== undefined && !trusts(this.#trust, fetched.key)) this.#etag = undefined;
      return { holds: fetched.holds, news: false };
    }
    const good = await this.#verified(fetched.archive);
    const before = this.#state.served;
    const served = await activate(good, options, before);
    // On disk before it is served: an agent that is killed never comes back with an older revision than callers have seen.
    await this.#save(good);
    this.#state.replaced(served);
    this.#etag = fetched.etag ?? `"${served.bundleRevision}"`;
    this.#trust = good.trust;
    this.#showTrust();
    return { holds: fetched.holds, news: this.#said(before, served) };
  }

  /** Follows announcements where the key is not known yet. What they led to counts only once a bundle proves it. */
  async #verified({ json, jws }: BundleArchive): Promise<Good> {
    const kid = jws === undefined ? undefined : keyIdOf(jws);
    let trust = this.#trust;
    if (kid !== undefined && !trusts(trust, kid)) {
      trust = await follow(trust, await fetchKeys(this.options.cloudUrl, this.options.bounds, this.#stop.signal));
    }
    return { json, trust, ...(await verify(json, [jws], trust)) };
  }

  /** Whether it is another revision than before; the log says so. */
  #said(before: Served | undefined, served: Served): boolean {
    if (before?.revision === served.revision) return false;
    const fields = { tenant: served.tenant.name, bundle_revision: served.revision, signed_by: served.signedBy };
    if (before !== undefined && revisionNumber(served.revision) <= revisionNumber(before.revision)) {
      this.#log.warn(
        { ...fields, before: before.revision },
        'older bundle activated, as SERVICE_ALLOW_ROLLBACK permits',
      );
    } else {
      this.#log.info(fields, 'bundle activated');
    }
    return true;
  }

  /** A cache that cannot be written costs a warm start, not an answer. */
  async #save(good: Good): Promise<void> {
    try {
      // The keys come first: without them what follows could not be verified after a restart.
      const { roots, announcements } = good.trust;
      if (good.trust !== this.#trust || this.#unsaved !== undefined || !(await this.#cache.hasKeys())) {
        await this.#cache.writeKeys({ keys: roots, announcements });
      }
      await this.#cache.write(good);
      this.#unsaved = undefined;
    } catch (error) {
      if (this.#unsaved === undefined) {
        const { message } = error as Error;
        this.#log.error({ path: this.#cache.path, error: message }, 'bundle cannot be cached, serving it from memory');
      }
      this.#unsaved = good;
    }
  }

  /** The cloud has nothing newer, so what is on disk is as good as fetched now. What is not there is written again. */
  async #confirmCache(): Promise<void> {
    if (this.#unsaved !== undefined) await this.#save(this.#unsaved);
    // Somebody cleared the folder: without an ETag the next poll brings the whole bundle, and with it a new file.
    else if (!(await this.#cache.confirm())) this.#etag = undefined;
  }

  #showTrust(): void {
    this.#state.syncing.trustedKeys = this.#trust.set.keys.map(({ kid }) => kid);
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
