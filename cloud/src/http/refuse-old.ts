import { assertYoung, MAX_AGE_HEADER } from '@authz-service/pdp/revision/max-age';
import type { Credential } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';

/** The remedy if a replica knows too little, as the end of a sentence. */
export const ASK_ANOTHER = 'ask another replica, or again once the database answers';

/** No budget of a resource type is smaller. */
const BUDGET_MS_MIN = 1000;

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
  try {
    assertYoung(ageMs(), maxMs, { by: MAX_AGE_HEADER, until: ASK_ANOTHER });
  } catch (error) {
    cloud.metrics.refusedOld.inc();
    throw error;
  }
}

/** Asks the database for news if what is known is too old to decide about one of these resource types. */
export async function renewFor(cloud: Cloud, id: string, types: readonly string[]): Promise<void> {
  if (cloud.ageMs(id) <= BUDGET_MS_MIN) return;
  const tenant = await cloud.tenants.get(id);
  const { engine } = tenant;
  const isTooOld = (type: string) => cloud.ageMs(id) > (engine.budgetOf(type)?.maxAgeMs ?? Number.POSITIVE_INFINITY);
  if (types.some(isTooOld)) await cloud.refresh(tenant).catch(() => undefined);
}

/** The id of the tenant that a request reads: an operator may name another one, which the route refuses if there is none. */
export function tenantRead(
  { tenants }: { tenants: Pick<Cloud['tenants'], 'list'> },
  credential: Pick<Credential, 'tenant' | 'grants'>,
  query: unknown,
): string {
  const named = (query as { tenant?: unknown } | undefined)?.tenant;
  if (typeof named !== 'string' || !credential.grants.has('operator')) return credential.tenant;
  return tenants.list().find(({ id, name }) => id === named || name === named)?.id ?? credential.tenant;
}
