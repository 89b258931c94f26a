import { ProblemError } from '@authz-service/core/problem';
import { revisionText } from '@authz-service/core/state/revision';
import { type MinRevision, unknownRevision } from '@authz-service/pdp/revision/min-revision';
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
  await cloud.revisionWaits.reach(wanted, {
    served: () => tenant.revision,
    changed: async (ms) => {
      signal.throwIfAborted();
      if (!cloud.ready()) throw new ProblemError('not_ready', 'The service stops: ask again once it is back.');
      await cloud.tenants.watch.next(id, ms, onGone);
    },
    exists: (asked) => exists(cloud, tenant, asked),
  });
  await refuseNamesake(cloud, tenant, wanted);
}

/** Asks the database, and follows it at once to a revision that is there. */
async function exists(cloud: Cloud, tenant: Tenant, wanted: MinRevision): Promise<boolean | undefined> {
  // A process that is alone has everything in memory before it answers a commit.
  if (!cloud.store.shared) return false;
  try {
    if (!(await isStored(cloud, tenant, wanted))) return false;
    await tenant.exclusive(async () => {
      if (tenant.revisionNumber < wanted.number) await followTenant(cloud, tenant);
    });
    return true;
  } catch (error) {
    cloud.log.warn(
      { err: error, tenant: tenant.id },
      'it is not known whether the tenant has a revision that is asked for',
    );
    return undefined;
  }
}

/** A database that was set back has lost revisions that callers name, and gives their numbers again. */
async function refuseNamesake(cloud: Cloud, tenant: Tenant, wanted: MinRevision): Promise<void> {
  const { token, number } = wanted;
  if (token === undefined || number >= tenant.revisionNumber || tenant.hadLately(token)) return;
  if ((await cloud.olderRevisions.find(tenant, number)) !== token) throw unknownRevision(wanted);
}

async function isStored({ store }: Cloud, { id }: Tenant, { number, token }: MinRevision): Promise<boolean> {
  const found = await store.findRevision(id, { number });
  return found !== undefined && (token === undefined || token === revisionText(found.revision, found.digest));
}
