import { ProblemError } from '@authz-service/core/problem';
import { epochNumber, splitToken } from '@authz-service/core/state/revision';
import type { Cloud } from '../cloud.js';
import type { Tenant } from '../tenants/tenant.js';
import { followTenant } from './follow-tenant.js';

/**
 * The number of a revision of the tenant that a query names by its number or whole (`NUMBER.DIGEST`, or with its epoch). Throws
 * `unknown_revision` if the tenant never had it.
 */
export async function wantedRevision(cloud: Cloud, tenant: Tenant, text: string): Promise<number> {
  const { revision, epoch } = splitToken(text);
  const later = () => epochNumber(epoch) > epochNumber(cloud.bundleKeys.epochName);
  if (later()) await cloud.refresh();
  const number = Number.parseInt(revision, 10);
  if (number > tenant.revisionNumber && cloud.store.shared) await tenant.exclusive(() => followTenant(cloud, tenant));
  if (later() || number > tenant.revisionNumber || !(await isOf(cloud, tenant, number, revision))) {
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
