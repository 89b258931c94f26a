import { assertYoung, MAX_AGE_HEADER } from '@authz-service/pdp/revision/max-age';
import type { Cloud } from '../cloud.js';

/**
 * Throws `too_old` unless the tenant was known to be at its newest revision so many milliseconds ago or later. If it was not,
 * the database is asked first.
 */
export async function refuseOld(cloud: Cloud, id: string, maxMs: number): Promise<void> {
  const asked = performance.now();
  const tenant = await cloud.tenants.get(id);
  // How old it was when the request came: the answer to it may take a while.
  const ageMs = () => cloud.ageMs(id) - (performance.now() - asked);
  if (ageMs() > maxMs) await cloud.refresh(tenant).catch(() => undefined);
  assertYoung(ageMs(), maxMs, { by: MAX_AGE_HEADER, until: 'ask another replica, or again once the database answers' });
}
