import { epochName } from '@authz-service/core/bundle/epoch';
import { stepsInPlaceMax } from '@authz-service/core/bundle/limits';
import { newestOf } from '@authz-service/core/bundle/newest';
import { unpackBundleTo } from '@authz-service/core/bundle/read';
import type { ServedKeys } from '@authz-service/core/bundle/served-keys';
import { keyIdOf } from '@authz-service/core/bundle/signing-key';
import type { BundleArchive } from '@authz-service/core/bundle/types';
import { ProblemError } from '@authz-service/core/problem';
import type { Attempts } from '../cache/attempts.js';
import type { BundleCache } from '../cache/cache.js';
import { compareEpochs, isBehind, type ServedRevision } from '../cache/last-served.js';
import type { Spool } from '../cache/spool.js';
import type { Logger } from '../log.js';
import type { FetchBounds, FetchOptions } from '../source/fetching.js';
import { activate, isWanted, type Verified } from './activate.js';
import { type Advance, advance, confirmed } from './advance.js';
import type { BundleState } from './bundle-state.js';
import { compareApart, unpackApart } from './bundle-threads.js';
import { epochOf, refuseOtherEpoch, withEpoch } from './epoch.js';
import type { Saver } from './saver.js';
import { bundleOf, type Served } from './served.js';
import { follow, type Trust, trusts, verify, verifyChanges } from './trust.js';

export interface IntakeOptions {
  tenantId?: string;
  allowRollback: boolean;
  bounds: FetchBounds;
  /** Asks for the keys that sign bundles, where they are served. */
  fetchKeys(stop: AbortSignal): Promise<ServedKeys>;
}

export interface IntakeParts {
  state: BundleState;
  cache: BundleCache;
  saver: Saver;
  attempts: Attempts;
  log: Logger;
}

/** A whole bundle as it arrived. */
export interface ArrivedBundle {
  bytes: Spool;
  jws: string | undefined;
  /** Whether the cloud says that it never had the revision that is served. */
  diverged: boolean;
}

/**
 * The number and total size of deltas kept on disk after a bundle before the whole bundle is fetched again: the first
 * limit applies when the tenant is quiet, the second in any case. Each delta adds a third of a millisecond to a
 * restart.
 */
const CHAIN_QUIET = { deltas: 256, bytes: 256 * 1024, share: 0.25 };
const CHAIN_MAX = { deltas: 1024, bytes: 1024 * 1024, share: 1 };

const NEW_EPOCH =
  'the cloud has declared a new epoch, as after a restore: its revision is followed, be it older or not';

/** A smaller bundle is read and compiled in a tenth of a second, which is less than starting threads takes. */
const LARGE_BYTES = 2 * 1024 * 1024;

/** Takes in what arrives, wherever it comes from. If anything fails, the last good bundle stays. */
export class Intake {
  /** Whether the whole bundle is needed, whatever is served. Reset once that bundle is served. */
  wantsWhole = false;

  constructor(
    private readonly options: IntakeOptions,
    private readonly parts: IntakeParts,
  ) {}

  /** When what is served was the newest; undefined if nobody who is trusted says that. */
  async newestAt(jws: string | undefined): Promise<number | undefined> {
    const { state, saver } = this.parts;
    const { served, syncing } = state;
    const newest = served && (await newestOf(jws, bundleOf(served), syncing.trust.set.keys));
    if (newest === undefined || jws === undefined) return undefined;
    state.confirmed(newest);
    await saver.saveNewest(jws);
    return newest.atMs;
  }

  /** How bundles are fetched. */
  fetching(stop: AbortSignal): FetchOptions {
    const { state, cache, attempts } = this.parts;
    const spool = async () => {
      // An agent that serves nothing has nothing to lose by trying.
      if (state.served !== undefined) await attempts.begin();
      return await cache.spool();
    };
    const unpack = this.#isLarge ? unpackApart : unpackBundleTo;
    return { bounds: this.options.bounds, stop, spool, unpack };
  }

  /** Returns whether the revision differs from the one before. */
  async takeBundle(arrived: ArrivedBundle, stop: AbortSignal): Promise<boolean> {
    const { state, cache, saver, attempts } = this.parts;
    const { bytes, diverged } = arrived;
    const before = state.last;
    try {
      const known = await this.trustFor(arrived.jws, stop);
      const { statement, jws, kid } = await verify(bytes.sha256, [arrived.jws], known);
      const epoch = await epochOf(statement, known, this.options);
      const trust = withEpoch(known, epoch);
      const verified = { bytes, statement, kid, epoch };
      const former = before && { ...before, served: state.served, diverged };
      const changed = diverged ? undefined : await this.#compare(verified, trust);
      const served = changed?.next ?? (await activate(verified, this.options, former));
      await attempts.end();
      // It is on disk before it is served: a killed agent never comes back with an older revision than callers have
      // seen.
      await saver.save(served, trust, () => cache.write({ bytes, jws, sha256: statement.sha256 }));
      if (changed === undefined) state.replaced(served);
      else await state.advanced(changed.changes, served);
      state.syncing.trust = trust;
      this.wantsWhole = false;
      return this.#logActivation(before?.servedRevision, served, changed?.changes.length);
    } catch (error) {
      await bytes.discard();
      throw error;
    }
  }

  /**
   * Finds what a whole bundle changes, so that the engine can be changed in place: a second engine would take its memory
   * and its time. Returns undefined if it cannot tell; the whole bundle is activated then, which also finds everything
   * that speaks against it.
   */
  async #compare(
    { bytes, statement, kid, epoch }: Verified & { bytes: Spool },
    trust: Trust,
  ): Promise<Advance | undefined> {
    const { state, cache, log } = this.parts;
    const { served } = state;
    const { base } = cache;
    const [tenant, another] = statement.tenants;
    if (!this.#isLarge || served === undefined || base === undefined || bytes.fd === undefined) return undefined;
    if (tenant === undefined || another !== undefined || !isWanted(tenant, this.options.tenantId)) return undefined;
    if (epoch?.jws !== served.epoch?.jws) return undefined;
    if (tenant.id !== served.tenant.id || isBehind({ tenant, revision: tenant.revision, epoch }, served))
      return undefined;
    try {
      const { revision, digest } = served;
      const stepsMax = stepsInPlaceMax(served.digests.size);
      const { fd, length } = bytes;
      const work = { base, trust, current: { revision, digest }, fd, length, changesMax: stepsMax };
      const json = await compareApart(work);
      if (json === undefined) return undefined;
      if (tenant.revision === revision) return await confirmed({ json, statement, kid }, served);
      const { changes, next } = await advance({ json, statement, kid }, served, stepsMax);
      return { changes, next: { ...next, activatedBy: 'bundle' } };
    } catch (error) {
      const { message } = error as Error;
      log.debug({ error: message }, 'cannot tell what the bundle changes, activating all of it');
      return undefined;
    }
  }

  /**
   * Applies what has changed since the served revision. Returns false if it cannot be applied and a whole bundle is
   * needed: the signing key is not known yet, the agent serves something else than the cloud thinks, or the delta is
   * invalid.
   */
  async takeDelta(archive: BundleArchive | ProblemError): Promise<boolean> {
    const { state, cache, saver, log } = this.parts;
    const before = state.served;
    const { trust } = state.syncing;
    try {
      if (archive instanceof ProblemError) throw archive;
      if (before === undefined) throw new Error('nothing is served that could change');
      const { json } = archive;
      const { statement, jws, kid } = await verifyChanges(json, archive.jws, trust);
      refuseOtherEpoch(statement, before);
      const { changes, next } = await advance({ json, statement, kid }, before, stepsInPlaceMax(before.digests.size));
      await saver.save(next, trust, () => cache.append({ json, jws }));
      await state.advanced(changes, next);
      this.#logActivation(before, next, changes.length);
    } catch (error) {
      const { message } = error as Error;
      log.warn({ error: message }, 'the changes cannot be applied, asking for the whole bundle');
      return false;
    }
    if (this.#isLong(CHAIN_MAX)) this.wantsWhole = true;
    return true;
  }

  /** Nothing is new, so problems of the cache are repaired now. `key` is the current signing key. */
  async confirm(key: string | undefined): Promise<void> {
    const { state, saver } = this.parts;
    const { served, syncing } = state;
    const cached = served !== undefined && (await saver.confirm(served, syncing.trust));
    // The bundle is the same, but its signing key is unknown: the signature on disk may not be valid for long.
    const unknown = key !== undefined && !trusts(syncing.trust, key);
    if (!cached || unknown || this.#isLong(CHAIN_QUIET)) this.wantsWhole = true;
  }

  /** Whether the served bundle is so large that reading another one would hold up requests. */
  get #isLarge(): boolean {
    const { state, cache } = this.parts;
    return state.served !== undefined && cache.chain.baseBytes >= LARGE_BYTES;
  }

  #isLong({ deltas, bytes, share }: typeof CHAIN_MAX): boolean {
    const { chain } = this.parts.cache;
    return chain.deltas > deltas || chain.bytes > Math.max(bytes, chain.baseBytes * share);
  }

  /**
   * Follows announcements if the key is not known yet. The keys that they lead to count only once something proves them.
   */
  async trustFor(jws: string | undefined, stop: AbortSignal): Promise<Trust> {
    const { trust } = this.parts.state.syncing;
    const kid = jws === undefined ? undefined : keyIdOf(jws);
    if (kid === undefined || trusts(trust, kid)) return trust;
    return await follow(trust, await this.options.fetchKeys(stop));
  }

  /**
   * Returns whether the revision differs from the one before, and logs it, with the number of changed records if the
   * engine was changed in place.
   */
  #logActivation(before: ServedRevision | undefined, served: Served, changedRecords?: number): boolean {
    if (before?.revision === served.revision && before.epoch?.number === served.epoch?.number) return false;
    const { log } = this.parts;
    const { tenant, revision, signedBy, activatedBy } = served;
    const fields = {
      tenant: tenant.name,
      bundle_revision: revision,
      signed_by: signedBy,
      activated_by: activatedBy,
      ...(changedRecords === undefined ? {} : { changed_records: changedRecords }),
    };
    const sameTenant = before?.tenant.id === tenant.id;
    if (before && served.epoch && compareEpochs(served, before) > 0) {
      const { revision: older } = before;
      log.warn({ ...fields, before: older, epoch: epochName(served.epoch) }, NEW_EPOCH);
    } else if (sameTenant && isBehind(served, before)) {
      const permitted = 'older bundle activated, because SERVICE_ALLOW_ROLLBACK permits it';
      log.warn({ ...fields, before: before.revision }, permitted);
    } else {
      log.info(fields, 'bundle activated');
    }
    return true;
  }
}
