import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import { EngineBuilder } from '@authz-service/core/access/engine/engine-builder';
import { eachInSteps, finished, type TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { revisionText } from '@authz-service/core/state/revision';
import { TenantState } from '@authz-service/core/state/tenant-state';
import type { LoadedTenant } from '../store/loaded-tenant.js';
import { ChangedStoreError, type Store } from '../store/store.js';

/** A tenant as it was committed. */
export interface TenantContent {
  state: TenantState;
  /** Absent unless it was asked for. */
  engine?: CompiledEngine;
  revision: number;
  /** Milliseconds since the epoch. */
  committedAt: number;
}

export interface ReadOptions {
  /** Runs what is to be done with a page beside other work. */
  run?: TimeSlicing['run'];
  /** Whether to compile an engine, too. */
  compile?: boolean;
  /** Throws once nobody wants the tenant any more. */
  assertOpen?: () => void;
}

/** Records put into the state and the engine in one step: some tenths of a millisecond. */
const STEP = 25;

/**
 * Reads a tenant from the store, record by record, and compares it with what its newest commit recorded. That was validated
 * when it was committed: it is not validated again. Throws `ChangedStoreError` if they differ: somebody else wrote, or the
 * file is damaged.
 */
export async function readTenant(
  store: Pick<Store, 'load'>,
  { id, name }: { id: string; name: string },
  { run = async (steps) => finished(steps), compile = false, assertOpen = () => undefined }: ReadOptions = {},
): Promise<TenantContent> {
  const state = new TenantState();
  const builder = compile ? new EngineBuilder() : undefined;
  const add = (record: StoredRecord) => {
    state.add(record);
    builder?.add(record);
  };
  let unreadable: { cause: unknown } | undefined;
  const loaded = await store.load(id, async (records) => {
    assertOpen();
    if (unreadable) return;
    await run(eachInSteps(records, STEP, add)).catch((cause: unknown) => {
      unreadable = { cause };
    });
  });
  const { revision } = loaded;
  if (unreadable)
    throw new ChangedStoreError(
      `the tenant "${name}" is at revision ${revision}, but its records cannot be read`,
      unreadable,
    );
  const difference = differenceOf(loaded, await run(state.ownDigestInSteps()));
  if (difference !== undefined) throw new ChangedStoreError(`the tenant "${name}" ${difference}`);
  const committedAt = Date.parse(loaded.committed?.at ?? '');
  return { state, revision, committedAt, ...(builder && { engine: builder.finish() }) };
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
