import { ProblemError } from '@authz-service/core/problem';
import type { Cloud } from '../cloud.js';
import type { Tenant } from '../tenants/tenant.js';
import { followTenant } from './follow-tenant.js';

/**
 * The number of a revision of the tenant that a query names by its number or whole (`NUMBER.DIGEST`). Throws
 * `unknown_revision` if the tenant never had it.
 */
export async function wantedRevision(cloud: Cloud, tenant: Tenant, text: string): Promise<number> {
  const number = Number.parseInt(text, 10);
  if (number > tenant.revisionNumber && cloud.store.shared) await tenant.exclusive(() => followTenant(cloud, tenant));
  if (number > tenant.revisionNumber || !(await isOf(cloud, tenant, number, text))) {
    throw new ProblemError(
      'unknown_revision',
      `"enforces" names ${text}, which the tenant has not reached or never had: name a revision that a commit to this tenant has returned.`,
    );
  }
  return number;
}

async function isOf(cloud: Cloud, tenant: Tenant, number: number, text: string): Promise<boolean> {
  if (!text.includes('.') || text === tenant.revision || tenant.hadLately(text)) return true;
  return number < tenant.revisionNumber && (await cloud.olderRevisions.find(tenant, number)) === text;
}
