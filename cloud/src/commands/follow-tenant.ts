import type { Cloud } from '../cloud.js';
import type { TenantStore } from '../store/store.js';
import type { Tenant } from '../tenants/tenant.js';

/**
 * Brings a tenant and its credentials to the newest revision that `changes` knows. Call it while no other work of the tenant
 * runs.
 */
export async function followTenant(
  { store, tenants, credentials }: Pick<Cloud, 'store' | 'tenants' | 'credentials'>,
  tenant: Tenant,
  changes: TenantStore = store,
): Promise<void> {
  const before = tenant.revisionNumber;
  const touched = await tenant.catchUp(changes, store);
  // What was read anew may have another past than what is known: then the number of its revision says nothing.
  const since = touched === 'unknown' ? 0 : credentials.revisionOf(tenant.id);
  const { id, revisionNumber: revision } = tenant;
  if (since >= revision) return;
  // Credentials that are ahead of the tenant may have one that came and went while the tenant followed.
  const unchanged = !touched && since === before;
  const known = unchanged
    ? [{ tenant: id, revision, rows: undefined }]
    : await changes.credentialsSince([{ tenant: id, since }]);
  // The tenant may have been removed meanwhile.
  if (tenants.rows(id).length > 0) for (const one of known) credentials.advance(one);
}
