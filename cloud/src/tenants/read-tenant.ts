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
 * Reads a tenant from the store and compares what is there with what its newest commit left. Throws `ChangedStoreError`
 * where they differ: somebody else wrote, or the file is damaged.
 */
export async function readTenant(store: Store, { id, name }: { id: string; name: string }): Promise<TenantContent> {
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
    throw new ChangedStoreError(`the tenant "${name}" stands at revision ${revision}, and its records cannot be read`);
  }
}

function differenceOf({ revision, committed, rowDigest }: LoadedTenant, digest: string): string | undefined {
  if (committed === undefined) return `stands at revision ${revision}, and no commit is recorded`;
  const newest = revisionText(committed.revision, committed.digest);
  if (committed.revision !== revision) return `stands at revision ${revision}, and its newest commit made ${newest}`;
  if (committed.digest !== digest)
    return `stands at revision ${newest}, and its records are those of ${revisionText(revision, digest)}`;
  if (Number.isNaN(Date.parse(committed.at))) return `stands at revision ${newest}, the time of which cannot be read`;
  if (committed.rowDigest !== rowDigest) {
    return `stands at revision ${newest} and has its records, but not its credentials, owners, ids and times`;
  }
  return undefined;
}
