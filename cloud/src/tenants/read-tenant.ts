import { revisionText } from '@authz-service/core/state/revision';
import { TenantState } from '@authz-service/core/state/tenant-state';
import { ChangedStoreError, type LoadedTenant, type Store } from '../store/store.js';

/** A tenant as it was committed. */
export interface TenantContent {
  state: TenantState;
  revision: number;
  /** Milliseconds since the epoch. */
  committedAt: number;
}

/**
 * Reads a tenant from the store and compares it with what its newest commit recorded. Throws `ChangedStoreError` if
 * they differ: somebody else wrote, or the file is damaged.
 */
export async function readTenant(
  store: Pick<Store, 'load'>,
  { id, name }: { id: string; name: string },
): Promise<TenantContent> {
  const loaded = await store.load(id);
  const state = stateOf(loaded, name);
  const difference = differenceOf(loaded, state.digest());
  if (difference !== undefined) throw new ChangedStoreError(`the tenant "${name}" ${difference}`);
  return { state, revision: loaded.revision, committedAt: Date.parse(loaded.committed?.at ?? '') };
}

function stateOf({ revision, records }: LoadedTenant, name: string): TenantState {
  try {
    return new TenantState(records);
  } catch {
    throw new ChangedStoreError(`the tenant "${name}" is at revision ${revision}, but its records cannot be read`);
  }
}

function differenceOf({ revision, committed, rowDigest }: LoadedTenant, digest: string): string | undefined {
  if (committed === undefined) return `is at revision ${revision}, but no commit is recorded`;
  const newest = revisionText(committed.revision, committed.digest);
  if (committed.revision !== revision) return `is at revision ${revision}, but its newest commit made ${newest}`;
  if (committed.digest !== digest)
    return `is at revision ${newest}, but its records are those of ${revisionText(revision, digest)}`;
  if (Number.isNaN(Date.parse(committed.at))) return `is at revision ${newest}, whose time cannot be read`;
  if (committed.rowDigest !== rowDigest) {
    return `is at revision ${newest} and has its records, but not its credentials, owners, ids and times`;
  }
  return undefined;
}
