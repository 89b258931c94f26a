import { ProblemError } from '@authz-service/core/problem';
import { epochNumber, revisionText, tokenOf } from '@authz-service/core/state/revision';
import { type MinRevision, minRevisionText, unknownRevision } from '@authz-service/pdp/revision/min-revision';
import type { Cloud } from '../cloud.js';
import { followTenant } from '../commands/follow-tenant.js';
import type { Tenant } from '../tenants/tenant.js';
import type { Call } from './route.js';

/**
 * Waits until this process serves a revision of the tenant, or a later one. Throws what `RevisionWaits` throws, and an
 * `AbortedError` if the caller goes.
 */
export async function awaitRevision(
  cloud: Cloud,
  id: string,
  wanted: MinRevision,
  { signal, onGone }: Pick<Call, 'signal' | 'onGone'>,
): Promise<void> {
  const tenant = await cloud.tenants.get(id);
  const source = {
    served: () => tokenOf(tenant.revision, cloud.bundleKeys.epochName),
    tellsPast: true,
    changed: async (ms: number) => {
      signal.throwIfAborted();
      if (!cloud.ready()) throw new ProblemError('not_ready', 'The service stops: ask again once it is back.');
      await cloud.tenants.watch.next(id, { ms, onGone, urgent: true });
    },
    exists: (asked: MinRevision) => existsOnce(cloud, tenant, asked),
  };
  await cloud.revisionWaits.reach(wanted, source, id);
  await refuseNamesake(cloud, tenant, wanted, signal);
}

/** The look-ups under way, by the revision in full or its number: many callers may wait for one commit. */
const underWay = new WeakMap<Tenant, Map<string, Promise<boolean | undefined>>>();

function existsOnce(cloud: Cloud, tenant: Tenant, wanted: MinRevision): Promise<boolean | undefined> {
  const running = underWay.get(tenant) ?? new Map<string, Promise<boolean | undefined>>();
  underWay.set(tenant, running);
  const key = minRevisionText(wanted);
  const asked = running.get(key) ?? exists(cloud, tenant, wanted).finally(() => running.delete(key));
  running.set(key, asked);
  return asked;
}

/** Asks the database, and follows it at once to a revision that is there. */
async function exists(cloud: Cloud, tenant: Tenant, wanted: MinRevision): Promise<boolean | undefined> {
  if (isLater(cloud, wanted)) await cloud.refresh().catch(() => undefined);
  if (isLater(cloud, wanted)) return cloud.isCutOff() ? undefined : false;
  // A process that is alone has everything in memory before it answers a commit.
  if (!cloud.store.shared) return false;
  try {
    if (!(await isStored(cloud, tenant, wanted))) return false;
    await tenant.exclusive(async () => {
      if (tenant.revisionNumber < wanted.number) await followTenant(cloud, tenant);
    });
    return true;
  } catch (err) {
    const fields = { err, tenant: tenant.id };
    cloud.outages.failed('it is not known whether the tenant has a revision that is asked for', fields);
    return undefined;
  }
}

/** Whether the revision is of an epoch that this process does not know yet. */
function isLater({ bundleKeys }: Cloud, { epoch }: MinRevision): boolean {
  return epochNumber(epoch) > epochNumber(bundleKeys.epochName);
}

/** A database that was set back has lost revisions that callers name, and gives their numbers again. */
async function refuseNamesake(cloud: Cloud, tenant: Tenant, wanted: MinRevision, signal: AbortSignal): Promise<void> {
  const { token, number } = wanted;
  if (token === undefined || number >= tenant.revisionNumber || tenant.hadLately(token)) return;
  const found = await inTime(cloud.olderRevisions.find(tenant, number), signal);
  if (found.ended) {
    signal.throwIfAborted();
    throw new ProblemError(
      'behind_revision',
      `The database has not told within ${FIND_MS / 1000} seconds whether the tenant ever was at ${token}: ask again.`,
      [],
      { retryAfterSeconds: 1 },
    );
  }
  if (found.value !== token) throw unknownRevision(wanted);
}

/** How long a caller waits for the database, which may hang; what it has to say is remembered for the next caller. */
const FIND_MS = 5_000;

/** Returns what is asked for, unless the time is up or the caller has gone before. */
async function inTime<T>(
  asked: Promise<T>,
  signal: AbortSignal,
): Promise<{ ended: false; value: T } | { ended: true }> {
  signal.throwIfAborted();
  let end = () => {};
  const ended = new Promise<{ ended: true }>((resolve) => {
    end = () => resolve({ ended: true });
  });
  const timer = setTimeout(end, FIND_MS);
  signal.addEventListener('abort', end);
  try {
    return await Promise.race([asked.then((value) => ({ ended: false as const, value })), ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

async function isStored({ store }: Cloud, { id }: Tenant, { number, token }: MinRevision): Promise<boolean> {
  const found = await store.findRevision(id, { number });
  return found !== undefined && (token === undefined || token === revisionText(found.revision, found.digest));
}
