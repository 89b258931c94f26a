import type { Cloud } from '../cloud.js';
import type { TenantStore } from '../store/store.js';
import type { Tenant } from '../tenants/tenant.js';

/**
 * Brings a tenant and its credentials to the newest revision that `news` knows. Call it while no other work of the tenant
 * runs.
 */
export async function followTenant(
  { store, credentials }: Pick<Cloud, 'store' | 'credentials'>,
  tenant: Tenant,
  news: TenantStore = store,
): Promise<void> {
  const before = tenant.revisionNumber;
  const touched = await tenant.catchUp(news, store);
  const since = credentials.revisionOf(tenant.id);
  const { id, revisionNumber: revision } = tenant;
  if (since >= revision) return;
  if (!touched && since >= before) credentials.advance({ tenant: id, revision, rows: undefined });
  else for (const known of await news.credentialsSince([{ tenant: id, since }])) credentials.advance(known);
}
