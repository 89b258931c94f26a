import { keyIdOf } from '@authz-service/core/bundle/signing-key';
import { ProblemError } from '@authz-service/core/problem';
import { revisionNumber } from '@authz-service/core/state/revision';
import type { Logger } from '../log.js';
import { activate } from './activate.js';
import { advance } from './advance.js';
import type { AgentState, Served } from './agent-state.js';
import type { Attempts } from './attempts.js';
import type { BundleCache } from './cache.js';
import { type BundleSource, type FetchBounds, type Fetched, fetchBundle, fetchKeys, type Known } from './fetch.js';
import type { Standing } from './last-served.js';
import type { Saver } from './saver.js';
import { follow, type Trust, trusts, verify, verifyChanges } from './trust.js';

export interface SyncOptions extends BundleSource {
  tenantId?: string;
  allowRollback: boolean;
  bounds: FetchBounds;
}

export interface SyncParts {
  state: AgentState;
  cache: BundleCache;
  saver: Saver;
  attempts: Attempts;
  log: Logger;
}

/** What came of a poll. */
export interface Polled {
  /** Whether the cloud holds its answers until there is something newer. */
  holds: boolean;
  /** Whether another revision is served than before, or might have been. */
  news: boolean;
  /** By how much the clock of the cloud is ahead; undefined where that is not known. */
  aheadMs: number | undefined;
  /** Whether what is served is on disk. */
  saved: boolean;
}

type FetchedBundle = Extract<Fetched, { is: 'bundle' }>;
type FetchedDelta = Extract<Fetched, { is: 'delta' }>;

/**
 * How many deltas, of how many bytes, are kept on disk behind a bundle before the bundle is fetched anew: when the
 * tenant is quiet, and at the latest. Each costs a restart a third of a millisecond.
 */
const CHAIN_QUIET = { deltas: 256, bytes: 256 * 1024, share: 0.25 };
const CHAIN_MAX = { deltas: 1024, bytes: 1024 * 1024, share: 1 };

/** Changes that take more steps, of about a microsecond in which nobody is answered, come as a whole bundle. */
const STEPS_MAX = 50_000;

/** Brings what is served to what the cloud has. Whatever goes wrong, the last good bundle stays. */
export class Sync {
  /** Whether to ask for the whole bundle, whatever is served. It is over once that is served. */
  #wantsWhole = false;

  constructor(
    private readonly options: SyncOptions,
    private readonly parts: SyncParts,
  ) {}

  /** Asks the cloud once, and takes what it has. One at a time. Throws why nothing could be taken. */
  async poll(waitSeconds: number, stop: AbortSignal): Promise<Polled> {
    const { state, saver, attempts } = this.parts;
    const fetch = (known: Known) => fetchBundle(this.options, known, this.#fetching(stop));
    const known = this.#known();
    state.syncing.requestedAtMs = Date.now();
    try {
      let fetched = await fetch({ ...known, waitSeconds });
      const { holds, aheadMs } = fetched;
      let news = true;
      if (fetched.is === 'delta' && !(await this.#takeDelta(fetched))) {
        this.#wantsWhole = true;
        fetched = await fetch({});
      }
      if (fetched.is === 'same') {
        await this.#confirm(fetched.key);
        news = false;
      } else if (fetched.is === 'bundle') {
        // One that was asked for whatever it is must not be taken for that of a cloud which does not hold its answers.
        news = (await this.#takeBundle(fetched, stop)) || known.etag === undefined;
      }
      return { holds, news, aheadMs, saved: saver.saved };
    } finally {
      await attempts.end();
    }
  }

  /** What the request says that the agent has. */
  #known(): Known {
    const { served } = this.parts.state;
    if (served === undefined || this.#wantsWhole) return {};
    // Not what came as the ETag beside it: that is not signed, and under the name of another bundle the agent would be told
    // that it has the newest, or comes from another past. The tenant's own bundle, and no one else's with it, is called
    // like the tenant's revision.
    return { etag: `"${served.bundleRevision}"`, delta: served.bundleRevision === served.revision };
  }

  #fetching(stop: AbortSignal): Parameters<typeof fetchBundle>[2] {
    const { state, cache, attempts } = this.parts;
    const spool = async () => {
      // Who serves nothing has nothing to lose by trying.
      if (state.served !== undefined) await attempts.begin();
      return await cache.spool();
    };
    return { bounds: this.options.bounds, stop, spool };
  }

  /** Whether it is another revision than before. */
  async #takeBundle(fetched: FetchedBundle, stop: AbortSignal): Promise<boolean> {
    const { state, cache, saver, attempts } = this.parts;
    const { bytes, diverged } = fetched;
    const before = state.last;
    try {
      const trust = await this.#trustFor(fetched.jws, stop);
      const { statement, jws, kid } = await verify(bytes.sha256(), [fetched.jws], trust);
      const former = before && { ...before, served: state.served, diverged };
      const served = await activate({ bytes, statement, kid }, this.options, former);
      await attempts.end();
      // On disk before it is served: an agent that is killed never comes back with an older revision than callers have seen.
      await saver.save(served, trust, () => cache.write({ bytes, jws, sha256: statement.sha256 }));
      state.replaced(served);
      state.syncing.trust = trust;
      this.#wantsWhole = false;
      return this.#said(before?.standing, served);
    } catch (error) {
      await bytes.discard();
      throw error;
    }
  }

  /**
   * Takes what changed since the served revision. False where it cannot be taken: then a whole bundle must come, be it
   * that the key which signed is not known yet, that something else is served than the cloud thinks, or worse.
   */
  async #takeDelta({ archive }: FetchedDelta): Promise<boolean> {
    const { state, cache, saver, log } = this.parts;
    const before = state.served;
    const { trust } = state.syncing;
    try {
      if (archive instanceof ProblemError) throw archive;
      if (before === undefined) throw new Error('nothing is served that could change');
      const { json } = archive;
      const { statement, jws, kid } = await verifyChanges(json, archive.jws, trust);
      const { changes, next } = await advance({ json, statement, kid }, before, STEPS_MAX);
      await saver.save(next, trust, () => cache.append({ json, jws }));
      await state.advanced(changes, next);
      this.#said(before, next);
    } catch (error) {
      const { message } = error as Error;
      log.warn({ error: message }, 'changes of the bundle cannot be taken, asking for the whole');
      return false;
    }
    if (this.#isLong(CHAIN_MAX)) this.#wantsWhole = true;
    return true;
  }

  /** Nothing is new: what is not as it should be is set right now. `key` is the one that signs now. */
  async #confirm(key: string | undefined): Promise<void> {
    const { state, saver } = this.parts;
    const { served, syncing } = state;
    const cached = served !== undefined && (await saver.confirm(served, syncing.trust));
    // The same bundle under a key that has not been heard of: the signature that is had may not count for long.
    const unknown = key !== undefined && !trusts(syncing.trust, key);
    if (!cached || unknown || this.#isLong(CHAIN_QUIET)) this.#wantsWhole = true;
  }

  #isLong({ deltas, bytes, share }: typeof CHAIN_MAX): boolean {
    const { chain } = this.parts.cache;
    return chain.deltas > deltas || chain.bytes > Math.max(bytes, chain.baseBytes * share);
  }

  /** Follows announcements where the key is not known yet. What they led to counts only once a bundle proves it. */
  async #trustFor(jws: string | undefined, stop: AbortSignal): Promise<Trust> {
    const { trust } = this.parts.state.syncing;
    const kid = jws === undefined ? undefined : keyIdOf(jws);
    if (kid === undefined || trusts(trust, kid)) return trust;
    return await follow(trust, await fetchKeys(this.options.cloudUrl, this.options.bounds, stop));
  }

  /** Whether it is another revision than before; the log says so. */
  #said(before: Standing | undefined, served: Served): boolean {
    if (before?.revision === served.revision) return false;
    const { log } = this.parts;
    const { tenant, revision, signedBy, activatedBy } = served;
    const fields = { tenant: tenant.name, bundle_revision: revision, signed_by: signedBy, activated_by: activatedBy };
    const sameTenant = before?.tenant.id === tenant.id;
    if (sameTenant && revisionNumber(revision) <= revisionNumber(before.revision)) {
      const permitted = 'older bundle activated, as SERVICE_ALLOW_ROLLBACK permits';
      log.warn({ ...fields, before: before.revision }, permitted);
    } else {
      log.info(fields, 'bundle activated');
    }
    return true;
  }
}
