import { ProblemError } from '@authz-service/core/problem';
import type { Violation } from '@authz-service/core/questions/access-rules/violation';
import type { AccessReport, NoAccessReport } from '@authz-service/core/questions/impact/report/access-report';
import type { Change } from '@authz-service/core/state/change';
import type { Credential } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { LISTED_MAX } from '../commands/compare-revisions.js';
import type { Tenant } from '../tenants/tenant.js';

export interface Asking {
  credential: Credential;
  now: number;
  signal: AbortSignal;
}

/** The effect of changes on access and access rules. Where they do not go together, it says so. */
export interface Effect {
  access: AccessReport | NoAccessReport;
  violations: readonly Violation[];
}

/** Throws `stale_base` unless the tenant is at the revision. */
export async function effectOf(
  cloud: Cloud,
  tenant: Tenant,
  draft: { stack: string; changes: readonly Change[]; revision: string },
  { credential, now, signal }: Asking,
): Promise<Effect> {
  const { stack, changes, revision } = draft;
  try {
    const asked = { stack, changes, now, listedMax: LISTED_MAX };
    const { access, violations } = await cloud.analyzer.plan(tenant, revision, asked, { credential, signal });
    return { access, violations };
  } catch (error) {
    if (error instanceof ProblemError && error.code !== 'too_many_requests' && error.code !== 'stale_base')
      return { access: { unavailable: `The changes do not go together now: ${error.detail}` }, violations: [] };
    throw error;
  }
}
