import type { Secret } from '@authz-service/core/secret';
import type { Room } from '../garbage.js';
import type { Logger } from '../log.js';
import type { AgentState, Served } from '../state.js';
import { activate } from './activate.js';
import { advance } from './advance.js';
import type { BundleCache } from './cache.js';
import { holderOf } from './holder.js';
import { type Trust, trustOf, verify, verifyChanges } from './trust.js';

export interface WarmStartOptions {
  apiKey: Secret;
  tenantId?: string;
}

/** What an earlier run left beside the cached bundle. */
export interface Kept {
  trust: Trust;
  holder: string | undefined;
}

export interface WarmStartParts {
  cache: BundleCache;
  kept: Kept;
  state: AgentState;
  room: Room;
  log: Logger;
}

/**
 * Serves what is cached if all of it is good: the bundle, and the deltas after it. Whatever else is there is said and
 * left alone; what comes before a damaged delta is older than what callers have seen, and not served either. Gives
 * whether what is served may be another tenant's.
 */
export async function warmStart(
  options: WarmStartOptions,
  { cache, kept, state, room, log }: WarmStartParts,
): Promise<boolean> {
  const { trust } = kept;
  try {
    const leftovers = await cache.clean();
    if (leftovers > 0) log.info({ leftovers }, 'removed what an interrupted write left in the cache directory');
    const cached = await cache.read();
    if (cached === undefined) {
      state.started();
      log.info({ path: cache.path }, 'no cached bundle, not ready until the first sync');
      return false;
    }
    const { json } = cached;
    room.use(json.length);
    const verified = await verify(json, cached.signatures, trust);
    let served = await activate({ json, ...verified }, options, undefined);
    const { jws, statement } = verified;
    const deltas = await cache.deltasAfter({ json, jws, sha256: statement.sha256 });
    for (const delta of deltas) served = await replayed(delta, trust, served);
    state.started({ served, confirmedAtMs: cached.confirmedAtMs });
    const { tenant, revision } = served;
    log.info({ tenant: tenant.name, bundle_revision: revision, deltas: deltas.length }, 'serving the cached bundle');
    if (cache.cutOff) log.warn({ path: cache.path }, CUT_OFF);
    const doubtful = isDoubtful(served, options, kept);
    if (doubtful) log.warn({ tenant: tenant.name, path: cache.path }, DOUBT);
    return doubtful;
  } catch (error) {
    state.started();
    const { message } = error as Error;
    log.warn({ path: cache.path, error: message }, 'cached bundle ignored, not ready until the first sync');
  } finally {
    room.clear();
  }
  return false;
}

const CUT_OFF =
  'the last cached change is cut off and left out: its writing did not end, or the disk lost a part; the next sync brings it';

/** Where nobody said which tenant is meant, only the cloud knows whose a key is. */
function isDoubtful({ tenant }: Served, { apiKey, tenantId }: WarmStartOptions, { holder }: Kept): boolean {
  return tenantId === undefined && holder !== holderOf(apiKey, tenant.id);
}

const DOUBT =
  'the cached bundle came by another API key, and is served until the cloud says whose the one in use is: ' +
  'give each agent a SERVICE_CACHE_DIR of its own, or set SERVICE_TENANT_ID';

async function replayed({ json, jws }: { json: Buffer; jws: string }, trust: Trust, served: Served): Promise<Served> {
  const { changes, next } = await advance({ json, ...(await verifyChanges(json, jws, trust)) }, served);
  served.engine.apply(changes);
  return next;
}

/** The keys trusted in an earlier run, or the pinned ones. Those that cannot be read are as good as none. */
export async function keptKeys(
  pinned: Parameters<typeof trustOf>[0],
  { cache, log }: { cache: BundleCache; log: Logger },
): Promise<Kept> {
  try {
    const kept = await cache.readKeys();
    return { trust: await trustOf(pinned, kept?.trusted), holder: kept?.holder };
  } catch (error) {
    const { message } = error as Error;
    log.warn({ path: cache.keysPath, error: message }, 'cached keys of bundles ignored');
    return { trust: await trustOf(pinned, undefined), holder: undefined };
  }
}
