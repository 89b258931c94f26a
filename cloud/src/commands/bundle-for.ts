import { bundleRevision } from '@authz-service/core/bundle/digest';
import type { BundleContent } from '@authz-service/core/bundle/types';
import { packBundle } from '@authz-service/core/bundle/write';
import { ProblemError } from '@authz-service/core/problem';
import { findRevisionNumber } from '@authz-service/core/state/revision';
import type { Cloud } from '../cloud.js';
import { stoodAt } from '../history/stood-at.js';
import type { Tenant } from '../tenants/tenant.js';

/** A bundle that does not have to be packed if the caller has its revision already. */
interface Packable {
  revision: string;
  pack(): Promise<Buffer>;
  /** The changes from an earlier revision, if they are known and clearly smaller than the whole. */
  packSince(revision: string): Promise<Buffer> | undefined;
  /** Whether the tenant never had this revision; for several tenants this is not known. */
  divergesFrom(revision: string): Promise<boolean>;
}

/** The tenants in a caller's bundle: its own, or for operators all of them or the one they ask for. */
export async function bundledTenants(
  cloud: Cloud,
  caller: { tenant: string; operator: boolean; wanted?: string | undefined },
): Promise<Tenant[]> {
  const seen = caller.operator ? cloud.tenants.list() : cloud.tenants.rows(caller.tenant);
  const { wanted } = caller;
  const chosen = wanted === undefined ? seen : seen.filter(({ id, name }) => id === wanted || name === wanted);
  if (chosen.length === 0) {
    throw new ProblemError(
      'not_found',
      `There is no tenant "${wanted ?? caller.tenant}" that this credential may read.`,
    );
  }
  return await Promise.all(chosen.map(({ id }) => cloud.tenants.get(id)));
}

/** The bundle of these tenants at this moment, if it is packed before anything else is awaited. */
export function bundleOf(cloud: Cloud, tenants: Tenant[]): Packable {
  const [only] = tenants;
  const { bundleKeys } = cloud;
  if (only && tenants.length === 1) {
    return {
      revision: only.revision,
      pack: () => only.bundle(bundleKeys),
      packSince: (revision) => only.delta(revision, bundleKeys),
      divergesFrom: (revision) => neverStoodAt(cloud, only, revision),
    };
  }
  const parts = tenants.map(({ id, revision, state }) => ({ id, revision, digest: state.digest() }));
  const revision = bundleRevision(parts);
  return {
    revision,
    pack: () => packAll(cloud, revision, tenants),
    packSince: () => undefined,
    divergesFrom: async () => false,
  };
}

/**
 * A database that was restored from an older backup has lost revisions that agents hold, and uses their numbers again.
 */
async function neverStoodAt({ store, log }: Cloud, tenant: Tenant, revision: string): Promise<boolean> {
  if (findRevisionNumber(revision) === undefined || tenant.hadLately(revision)) return false;
  try {
    return (await stoodAt(store, tenant.id, revision)) === 'never';
  } catch (error) {
    // Agents get their bundle while the database does not answer; a later answer tells.
    log.warn({ err: error }, 'it is not known whether the tenant had the revision that an agent holds');
    return false;
  }
}

const packed = new WeakMap<Cloud, { revision: string; kid: string; archive: Promise<Buffer> }>();

/** The archive of several tenants, packed and signed once for each of their combined states and each key. */
function packAll(cloud: Cloud, revision: string, tenants: Tenant[]): Promise<Buffer> {
  const known = packed.get(cloud);
  const { bundleKeys } = cloud;
  if (known?.revision === revision && known.kid === bundleKeys.kid) return known.archive;
  const bundle: BundleContent = { revision, tenants: tenants.map((tenant) => tenant.bundled()) };
  const archive = packBundle(bundle, (sha256) => bundleKeys.sign(bundle, sha256));
  packed.set(cloud, { revision, kid: bundleKeys.kid, archive });
  archive.catch(() => packed.delete(cloud));
  return archive;
}
