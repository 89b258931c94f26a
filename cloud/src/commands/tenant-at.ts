import { REVISION_HEADER } from '@authz-service/pdp/transport/revision-header';
import * as z from 'zod';
import { type Credential, demand } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import type { Moment } from '../history/history.js';
import type { ReadableTenant } from '../tenants/tenant.js';

/** The query parameter of everything that can be asked about the past. */
export const pastQuery = {
  at: z.string().min(1, 'must not be empty').optional().meta({
    description:
      'Answers as of this revision (`42.9f86d081884c7d65` or `42`) or time (RFC 3339, or a date), which is also the clock of decisions. Needs the scope `records:read`.',
  }),
};

/** The same of decisions and searches, which may be asked of a time to come. */
export const decisionTimeQuery = {
  at: z.string().min(1, 'must not be empty').optional().meta({
    description:
      'Answers as of this revision (`42.9f86d081884c7d65` or `42`) or time (RFC 3339, or a date), which is also the clock of decisions. A time to come is answered by the records as they are: by links that begin or end until then. Needs the scope `records:read`.',
  }),
};

const ERASED_HEADER = 'Service-Erased-Records';

/** The answer names the revision that it is about. */
export const PAST_HEADERS = {
  [REVISION_HEADER]: 'With `at`: the revision that the answer is about.',
  [ERASED_HEADER]:
    'With `at`: how many records of that revision have lost values by an erasure. Its digest proves nothing, and conditions that read them may be decided otherwise than then. Absent if none has.',
};

/** The headers of an answer that may be about the past. */
export function pastHeaders(at: string | undefined, { revision, erased }: ReadableTenant): Record<string, string> {
  if (at === undefined) return {};
  return { [REVISION_HEADER]: revision, ...(erased > 0 && { [ERASED_HEADER]: String(erased) }) };
}

/**
 * The credential's tenant: at a point of its history if the request names one, or else as it is. Throws the signal's reason
 * where it is aborted while the past is rebuilt. `ahead`: whether a time to come may be asked about.
 */
export async function tenantAt(
  cloud: Cloud,
  {
    credential,
    at,
    now,
    signal,
    ahead = false,
  }: { credential: Credential; at: string | undefined; now: number; signal?: AbortSignal; ahead?: boolean },
): Promise<Moment> {
  const tenant = await cloud.tenants.get(credential.tenant);
  if (at === undefined) return { tenant };
  demand(credential, ['records:read']);
  return await cloud.history.at(tenant, at, { now, signal, ahead });
}
