import { bundleRevision } from '@authz-service/core/bundle/digest';
import type { BundleContent } from '@authz-service/core/bundle/types';
import { packBundle } from '@authz-service/core/bundle/write';
import { ProblemError } from '@authz-service/core/problem';
import type { Path } from '@authz-service/core/records/address';
import { findRevisionNumber, splitToken, tokenOf } from '@authz-service/core/state/revision';
import type { PackedDelta } from '../bundles/packed-bundles.js';
import type { TenantSlice } from '../bundles/tenant-slice.js';
import type { Cloud } from '../cloud.js';
import { revisionTime } from '../history/revision-time.js';
import type { TenantRow } from '../store/store.js';
import type { Tenant } from '../tenants/tenant.js';
import { gone } from '../tenants/tenants.js';

/** A bundle that does not have to be packed if the caller has its revision already. */
interface Packable {
  /** Its name: its revision, and the epoch if one was declared. */
  name: string;
  /** The id of the tenant, if it is of one alone. */
  tenant?: string;
  /** The tenant's revision of which a slice is the part. */
  of?: string;
  pack(): Promise<Buffer>;
  /**
   * The changes from an earlier one, by its name, if they are known and clearly smaller than the whole; `to` names the one that they
   * lead to, if that is not the newest.
   */
  packSince(name: string, how: { onlyNewest: boolean }): PackedDelta | undefined;
  /** Whether the tenant never had this revision of its own; for several tenants this is not known. */
  divergesFrom(name: string): Promise<boolean>;
}

/** The tenants of a caller's bundle, by name. */
export interface BundledTenants {
  tenants: Tenant[];
  /** Those of several that cannot be read, which the bundle names: their agents keep what they have. */
  unreadable: TenantRow[];
  /** The part of the only tenant that the caller's key is for; absent if it is for all of it. */
  slice?: TenantSlice;
}

/** Who asks for all tenants must not fill the line in which others wait for theirs. */
const READ_AT_ONCE = 2;

/**
 * The tenants in a caller's bundle: its own, or for operators all of them or the one they ask for. Throws what
 * `Tenants.get` throws if none of them can be read, and if one is to be asked for later.
 */
export async function bundledTenants(
  cloud: Cloud,
  caller: {
    tenant: string;
    operator: boolean;
    applications?: readonly Path[] | undefined;
    wanted?: string | undefined;
  },
): Promise<BundledTenants> {
  // A key for some applications is for those of its own tenant.
  const seen =
    caller.operator && caller.applications === undefined ? cloud.tenants.list() : cloud.tenants.rows(caller.tenant);
  const { wanted } = caller;
  const chosen = wanted === undefined ? seen : seen.filter(({ id, name }) => id === wanted || name === wanted);
  if (chosen.length === 0) {
    throw new ProblemError(
      'not_found',
      `There is no tenant "${wanted ?? caller.tenant}" that this credential may read.`,
    );
  }
  const [only] = chosen;
  // Where one is wanted, there is nothing else to answer with.
  if (only !== undefined && chosen.length === 1) {
    const tenant = await cloud.tenants.get(only.id);
    // One that was removed meanwhile is nobody's any more.
    if (cloud.tenants.rows(only.id).length === 0) throw gone();
    if (caller.applications === undefined) return { tenants: [tenant], unreadable: [] };
    const slice = tenant.slice(caller.applications);
    await slice.follow();
    return { tenants: [tenant], unreadable: [], slice };
  }
  const found = new Map<string, Tenant>();
  const faults = new Map<string, unknown>();
  const left = chosen.values();
  const read = async () => {
    for (const { id } of left) {
      try {
        found.set(id, await cloud.tenants.getAtOnce(id));
      } catch (error) {
        if (error instanceof ProblemError && error.retryAfterSeconds !== undefined) throw error;
        faults.set(id, error);
      }
    }
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, read));
  const kept = chosen.filter(({ id }) => cloud.tenants.rows(id).length > 0);
  const tenants = kept.flatMap(({ id }) => found.get(id) ?? []);
  const [fault] = faults.values();
  if (tenants.length === 0) throw fault ?? gone();
  return { tenants, unreadable: kept.filter(({ id }) => faults.has(id)) };
}

/**
 * The bundle of these tenants at this moment, if it is packed before anything else is awaited. `had` names those that the caller
 * has: a slice that is the same has that name.
 */
export function bundleOf(
  cloud: Cloud,
  { tenants, unreadable, slice }: BundledTenants,
  had: readonly string[],
): Packable {
  const [only] = tenants;
  const { bundleKeys } = cloud;
  if (only && slice !== undefined) {
    const isSame = (token: string) => {
      const { revision, epoch } = splitToken(token);
      return epoch === bundleKeys.epochName && slice.isAt(revision);
    };
    return {
      name: had.find(isSame) ?? tokenOf(slice.revision, bundleKeys.epochName),
      tenant: only.id,
      of: slice.of,
      pack: () => slice.bundle(bundleKeys),
      packSince: (name) => {
        const { revision, epoch } = splitToken(name);
        return epoch === bundleKeys.epochName ? slice.delta(revision, bundleKeys) : undefined;
      },
      divergesFrom: (name) => neverStoodAt(cloud, only, splitToken(name).revision),
    };
  }
  if (only && tenants.length === 1 && unreadable.length === 0) {
    return {
      name: tokenOf(only.revision, bundleKeys.epochName),
      tenant: only.id,
      pack: () => only.bundle(bundleKeys),
      packSince: (name, how) => {
        const { revision, epoch } = splitToken(name);
        // Only a whole bundle proves an epoch.
        if (epoch !== bundleKeys.epochName) return undefined;
        const delta = only.delta(revision, bundleKeys, how);
        return delta && { ...delta, ...(delta.to && { to: tokenOf(delta.to, bundleKeys.epochName) }) };
      },
      divergesFrom: (name) => neverStoodAt(cloud, only, splitToken(name).revision),
    };
  }
  const parts = tenants.map(({ id, revision, state }) => ({ id, revision, digest: state.digest() }));
  const revision = bundleRevision(parts, unreadable);
  return {
    name: tokenOf(revision, bundleKeys.epochName),
    pack: () => packAll(cloud, revision, { tenants, unreadable }),
    packSince: () => undefined,
    divergesFrom: async () => false,
  };
}

/**
 * A database that was restored from an older backup has lost revisions that agents hold, and uses their numbers again.
 */
async function neverStoodAt({ store, outages }: Cloud, tenant: Tenant, revision: string): Promise<boolean> {
  if (findRevisionNumber(revision) === undefined || tenant.hadLately(revision)) return false;
  try {
    return (await revisionTime(store, tenant.id, revision)) === 'never';
  } catch (err) {
    // Agents get their bundle while the database does not answer; a later answer tells.
    outages.failed('it is not known whether the tenant had the revision that an agent holds', { err });
    return false;
  }
}

const packed = new WeakMap<Cloud, { revision: string; mark: string; archive: Promise<Buffer> }>();

/** The archive of several tenants, packed and signed once for each of their combined states and each key. */
function packAll(cloud: Cloud, revision: string, { tenants, unreadable }: BundledTenants): Promise<Buffer> {
  const known = packed.get(cloud);
  const { bundleKeys, slicing } = cloud;
  if (known?.revision === revision && known.mark === bundleKeys.mark) return known.archive;
  const bundle: BundleContent = { revision, unreadable, tenants: tenants.map((tenant) => tenant.bundled()) };
  const archive = packBundle(
    bundle,
    (sha256) => bundleKeys.sign(bundle, sha256),
    (steps) => slicing.run(steps),
  );
  packed.set(cloud, { revision, mark: bundleKeys.mark, archive });
  archive.catch(() => packed.delete(cloud));
  return archive;
}
