import { keyIdOf } from '@authz-service/core/bundle/signing-key';
import type { BundleArchive } from '@authz-service/core/bundle/types';
import { ProblemError } from '@authz-service/core/problem';
import { revisionNumber } from '@authz-service/core/state/revision';
import type { Logger } from '../log.js';
import type { AgentState, Served } from '../state.js';
import { activate, type Verified } from './activate.js';
import { advance } from './advance.js';
import { apiKeyHash } from './api-key-hash.js';
import type { Attempts } from './attempts.js';
import type { BundleCache } from './cache.js';
import { ContestedCache } from './delta-log.js';
import { type BundleSource, type FetchBounds, type Fetched, fetchBundle, fetchKeys } from './fetch.js';
import type { LastServed, Standing } from './last-served.js';
import { Pace } from './pace.js';
import { SyncLog } from './sync-log.js';
import { follow, type Trust, trusts, verify, verifyChanges } from './trust.js';

export interface SyncOptions extends BundleSource {
  tenantId?: string;
  pollIntervalMs: number;
  allowRollback: boolean;
  bounds: FetchBounds;
}

export interface SyncParts {
  state: AgentState;
  cache: BundleCache;
  attempts: Attempts;
  /** By which keys bundles are believed at the start. */
  trust: Trust;
  /** What was served last, as far as the cache remembers it. */
  last: LastServed | undefined;
  log: Logger;
}

type FetchedBundle = Extract<Fetched, { is: 'bundle' }>;

/** A bundle that was found good, and the keys by which it was. */
interface Good extends Verified {
  jws: string;
  trust: Trust;
}

/**
 * How many deltas, of how many bytes, are kept on disk behind a bundle before the bundle is fetched anew: when the
 * tenant is quiet, and at the latest. Each costs a restart a third of a millisecond.
 */
const CHAIN_QUIET = { deltas: 256, bytes: 256 * 1024, share: 0.25 };
const CHAIN_MAX = { deltas: 1024, bytes: 1024 * 1024, share: 1 };

/** Changes that take more steps, of about a microsecond in which nobody is answered, come as a whole bundle. */
const STEPS_MAX = 50_000;

const CONTESTED_SAID_EVERY_MS = 60 * 60_000;

/** Keeps the served bundle equal to the cloud's. One poll at a time. Whatever goes wrong, the last good bundle stays. */
export class Sync {
  readonly #stop = new AbortController();
  readonly #pace: Pace;
  readonly #lines: SyncLog;
  readonly #state: AgentState;
  readonly #cache: BundleCache;
  readonly #attempts: Attempts;
  /** Who serves nothing has nothing to lose by trying. */
  readonly #wholeComes = async () => (this.#state.served === undefined ? undefined : this.#attempts.begin());
  readonly #log: Logger;
  #running: Promise<void> | undefined;
  #trust: Trust;
  /** Of the served bundle: it moves on only once a bundle is active, so that one that failed is asked for again. */
  #etag: string | undefined;
  /** What was served last, also where nothing is served any more. */
  #last: Standing | undefined;
  /** Whether that was by an earlier run alone. */
  #earlier: boolean;
  #contestedSaidAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: SyncOptions,
    { state, cache, attempts, trust, last, log }: SyncParts,
  ) {
    this.#state = state;
    this.#cache = cache;
    this.#attempts = attempts;
    this.#trust = trust;
    this.#last = state.served ?? last;
    this.#earlier = state.served === undefined;
    this.#log = log;
    this.#lines = new SyncLog(state, log);
    this.#pace = new Pace(options.pollIntervalMs);
    state.syncing.pinned = trust.pinned;
    this.#showTrust();
  }

  /** Starts with a poll at once. */
  start(): void {
    const { served } = this.#state;
    if (served !== undefined) this.#etag = etagOf(served);
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
        const { holds, news, aheadMs } = await this.#poll(waitSeconds).finally(() => this.#attempts.end());
        const elapsedMs = performance.now() - startedAt;
        restMs = this.#pace.succeeded({ waitSeconds, elapsedMs, holds, news });
        this.#lines.succeeded({ cached: this.#cache.saved, aheadMs });
      } catch (error) {
        const away = error instanceof ProblemError && (error.code === 'network' || error.code === 'timeout');
        restMs = this.#pace.failed({ elapsedMs: performance.now() - startedAt, away });
        if (!signal.aborted) this.#lines.failed(error);
      }
      this.#state.syncing.longPoll = this.#pace.holds;
      await pause(restMs, signal);
    }
  }

  async #poll(waitSeconds: number): Promise<{ holds: boolean; news: boolean; aheadMs: number | undefined }> {
    const { options } = this;
    const { signal } = this.#stop;
    this.#state.syncing.requestedAtMs = Date.now();
    const known = { etag: this.#etag, delta: this.#takesDeltas(), waitSeconds };
    const taking = { bounds: options.bounds, stop: signal, wholeComes: this.#wholeComes };
    let fetched = await fetchBundle(options, known, taking);
    const { holds, aheadMs } = fetched;
    if (fetched.is === 'delta') {
      if (await this.#take(fetched)) return { holds, news: true, aheadMs };
      this.#etag = undefined;
      fetched = await fetchBundle(options, {}, taking);
    }
    if (fetched.is !== 'bundle') return { holds, news: await this.#confirm(fetched), aheadMs };
    // One that was asked for whatever it is must not be taken for that of a cloud which does not hold its answers.
    return { holds, news: (await this.#replace(fetched)) || known.etag === undefined, aheadMs };
  }

  /** The tenant's own bundle, and no one else's with it, has the tenant's revision for its ETag. */
  #takesDeltas(): boolean {
    const { served } = this.#state;
    return served !== undefined && this.#etag === `"${served.revision}"`;
  }

  /** Whether it is another revision than before. */
  async #replace({ archive, diverged }: FetchedBundle): Promise<boolean> {
    const good = await this.#verified(archive);
    const before = this.#last;
    const former = before && { last: before, served: this.#state.served, diverged, earlier: this.#earlier };
    const served = await activate(good, this.options, former);
    await this.#attempts.end();
    // On disk before it is served: an agent that is killed never comes back with an older revision than callers have seen.
    await this.#save(good.trust, served, () => this.#cache.write({ ...good, sha256: good.statement.sha256 }));
    this.#earlier = false;
    this.#state.replaced(served);
    this.#etag = etagOf(served);
    this.#last = served;
    this.#trust = good.trust;
    this.#showTrust();
    return this.#said(before, served);
  }

  /**
   * Takes what changed since the served revision. False where it cannot be taken: then a whole bundle must come, be it
   * that the key which signed is not known yet, that something else is served than the cloud thinks, or worse.
   */
  async #take({ archive }: Extract<Fetched, { is: 'delta' }>): Promise<boolean> {
    const { served: before } = this.#state;
    try {
      if (archive instanceof ProblemError) throw archive;
      if (before === undefined) throw new Error('nothing is served that could change');
      const { json, jws } = archive;
      const good = await verifyChanges(json, jws, this.#trust);
      const { changes, next } = await advance({ json, ...good }, before, STEPS_MAX);
      await this.#save(this.#trust, next, () => this.#cache.append({ json, jws: good.jws }));
      await this.#state.advanced(changes, next);
      this.#etag = etagOf(next);
      this.#last = next;
      this.#said(before, next);
    } catch (error) {
      const { message } = error as Error;
      this.#log.warn({ error: message }, 'changes of the bundle cannot be taken, asking for the whole');
      return false;
    }
    if (this.#isLong(CHAIN_MAX)) this.#etag = undefined;
    return true;
  }

  /** Nothing is new: what is not as it should be is set right now. */
  async #confirm({ key }: Fetched): Promise<false> {
    await this.#confirmCache();
    const unknown = key !== undefined && !trusts(this.#trust, key);
    // The same bundle under a key that has not been heard of: the signature that is had may not count for long.
    if (unknown || this.#isLong(CHAIN_QUIET)) this.#etag = undefined;
    return false;
  }

  #isLong({ deltas, bytes, share }: typeof CHAIN_MAX): boolean {
    const { chain } = this.#cache;
    return chain.deltas > deltas || chain.bytes > Math.max(bytes, chain.baseBytes * share);
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
  #said(before: Standing | undefined, served: Served): boolean {
    if (before?.revision === served.revision) return false;
    const { tenant, revision, signedBy, activatedBy } = served;
    const fields = { tenant: tenant.name, bundle_revision: revision, signed_by: signedBy, activated_by: activatedBy };
    const sameTenant = before?.tenant.id === tenant.id;
    if (sameTenant && revisionNumber(served.revision) <= revisionNumber(before.revision)) {
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
  async #save(trust: Trust, served: Served, write: () => Promise<void>): Promise<void> {
    const { saved } = this.#cache;
    let fault: unknown;
    const attempt = (work: () => Promise<void>) =>
      work().catch((error: unknown) => {
        fault ??= error;
      });
    // The keys come first: without them what follows could not be verified after a restart.
    await attempt(async () => {
      if (trust === this.#trust && saved && (await this.#cache.hasKeys())) return;
      await this.#cache.writeKeys({ keys: trust.roots, announcements: trust.announcements });
    });
    await attempt(write);
    // What cannot be written is missed at the next start; what is another's in a shared folder is not this one's to note.
    if (!(fault instanceof ContestedCache)) await attempt(() => this.#noteServed(served));
    if (fault !== undefined && saved) this.#sayUncached(fault as Error);
  }

  #noteServed({ tenant, revision }: Served): Promise<void> {
    return this.#cache.writeLastServed({ tenant, revision, keyHash: apiKeyHash(this.options.apiKey, tenant.id) });
  }

  #sayUncached(fault: Error): void {
    if (fault instanceof ContestedCache) {
      // It comes back at each poll as long as both run.
      if (performance.now() < this.#contestedSaidAtMs + CONTESTED_SAID_EVERY_MS) return;
      this.#contestedSaidAtMs = performance.now();
    }
    const fields = { path: this.#cache.path, error: fault.message };
    this.#log.error(fields, 'bundle cannot be cached, serving it from memory');
  }

  /** The cloud has nothing newer, so what is on disk is as good as fetched now. What is not there is written again. */
  async #confirmCache(): Promise<void> {
    const { served } = this.#state;
    if (!this.#cache.saved && served !== undefined) await this.#save(this.#trust, served, () => this.#cache.flush());
    const confirmed = await this.#cache.confirm().catch((error: Error) => this.#sayUncached(error));
    // It may have come by another API key, or not have been noted for want of room.
    if (confirmed === true && served !== undefined) await this.#noteServed(served).catch(() => {});
    // Somebody cleared the folder: without an ETag the next poll brings the whole bundle, and with it a new file.
    if (confirmed !== true) this.#etag = undefined;
  }

  #showTrust(): void {
    this.#state.syncing.trustedKeys = this.#trust.set.keys.map(({ kid }) => kid);
  }
}

/**
 * What the cloud calls it. Not what came as the ETag beside it: that is not signed, and under the name of another bundle
 * the agent would be told that it has the newest, or comes from another past.
 */
function etagOf({ bundleRevision }: Served): string {
  return `"${bundleRevision}"`;
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
