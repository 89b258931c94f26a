import { findRevisionNumber, revisionText } from '@authz-service/core/state/revision';
import type { Store } from '../store/store.js';

/**
 * When a tenant came to stand at a revision that somebody holds, in milliseconds since the epoch; `never` if it did not, and
 * `forgotten` if that cannot be told any more, because commits that old are no longer kept.
 */
export async function revisionTime(
  store: Pick<Store, 'findRevision' | 'historyStart'>,
  tenant: string,
  revision: string,
): Promise<number | 'never' | 'forgotten'> {
  const number = findRevisionNumber(revision);
  if (number === undefined) return 'never';
  const found = await store.findRevision(tenant, { number });
  if (found !== undefined)
    return revisionText(found.revision, found.digest) === revision ? Date.parse(found.at) : 'never';
  const { oldest } = await store.historyStart(tenant);
  return number < oldest.revision ? 'forgotten' : 'never';
}
