import { statedEpoch } from '@authz-service/core/bundle/epoch';
import { newestOf } from '@authz-service/core/bundle/newest';
import type { Secret } from '@authz-service/core/values/secret';
import type { BundleCache, CachedBundle } from '../cache/cache.js';
import { assertServable, isBehind, type LastServed } from '../cache/last-served.js';
import type { Logger } from '../log.js';
import { activate } from './activate.js';
import { advance } from './advance.js';
import type { BundleState } from './bundle-state.js';
import { refuseOtherEpoch } from './epoch.js';
import { bundleOf, type Served } from './served.js';
import { sha256Of, type Trust, trustOf, verify, verifyChanges } from './trust.js';

export interface WarmStartOptions {
  apiKey: Secret;
  tenantId?: string;
  allowRollback: boolean;
}

export interface WarmStartParts {
  cache: BundleCache;
  state: BundleState;
  log: Logger;
}

/**
 * Serves what is cached if it is all valid: the bundle and the deltas after it belong to this agent's tenant and are no
 * older than what was served last. Anything else is logged and left alone.
 */
export async function warmStart(options: WarmStartOptions, { cache, state, log }: WarmStartParts): Promise<void> {
  const { trust } = state.syncing;
  let last: LastServed | undefined;
  let cached: CachedBundle | undefined;
  try {
    const leftovers = await cache.clean();
    if (leftovers > 0) log.info({ leftovers }, 'removed what an interrupted write left in the cache directory');
    cached = await cache.read();
    if (cached === undefined) {
      state.started();
      log.info({ path: cache.path }, 'no cached bundle, not ready until the first sync');
      return;
    }
    last = await cache.readLastServed();
    const { bytes } = cached;
    const sha256 = await sha256Of(bytes);
    const verified = await verify(sha256, cached.signatures, trust);
    const epoch = await statedEpoch(verified.statement);
    let served = await activate({ bytes, ...verified, epoch }, options, undefined);
    const deltas = await cache.deltasAfter({ bytes, jws: verified.jws, sha256 });
    for (const delta of deltas) served = await replayed(delta, trust, served);
    assertServable(served, last, options);
    // Without it the age is unknown; what is cached is as good.
    const newest = await cache.readNewest().catch(() => undefined);
    const signed = await newestOf(newest, bundleOf(served), trust.set.keys);
    state.started({ served, confirmedAtMs: cached.confirmedAtMs, newestAtMs: signed?.atMs }, last);
    if (signed !== undefined) state.confirmed(signed);
    const { tenant, revision } = served;
    log.info({ tenant: tenant.name, bundle_revision: revision, deltas: deltas.length }, 'serving the cached bundle');
    if (cache.cutOff) log.warn({ path: cache.path }, CUT_OFF);
    if (last !== undefined && isBehind(served, last)) log.warn({ before: last.revision }, OLDER);
  } catch (error) {
    state.started(undefined, last);
    const { message } = error as Error;
    log.warn({ path: cache.path, error: message }, 'cached bundle ignored, not ready until the first sync');
  } finally {
    await cached?.close();
  }
}

const CUT_OFF = 'the last cached change is incomplete and left out; the next sync brings it';
const OLDER =
  'the cached bundle is older than what was served last; it is served because SERVICE_ALLOW_ROLLBACK permits it';

async function replayed({ json, jws }: { json: Buffer; jws: string }, trust: Trust, served: Served): Promise<Served> {
  const verified = await verifyChanges(json, jws, trust);
  refuseOtherEpoch(verified.statement, served);
  const { changes, next } = await advance({ json, ...verified }, served);
  served.engine.apply(changes);
  return next;
}

/** The keys trusted in an earlier run, or the pinned ones. Keys that cannot be read count as absent. */
export async function keptKeys(
  pinned: Parameters<typeof trustOf>[0],
  { cache, log }: { cache: BundleCache; log: Logger },
): Promise<Trust> {
  try {
    return await trustOf(pinned, await cache.readKeys());
  } catch (error) {
    const { message } = error as Error;
    log.warn({ path: cache.keysPath, error: message }, 'cached bundle keys ignored');
    return await trustOf(pinned, undefined);
  }
}
