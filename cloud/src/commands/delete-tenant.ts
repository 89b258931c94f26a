import { ProblemError } from '@authz-service/core/problem';
import type { Credential } from '../auth/credential.js';
import type { KnownCredential } from '../auth/credential-index.js';
import type { Cloud } from '../cloud.js';
import { keepOperator } from './guard-credentials.js';

/** Removes a tenant with everything that it holds, including credentials. No credential can remove its own tenant. */
export async function deleteTenant(
  cloud: Cloud,
  { name, credential, requestId, now }: { name: string; credential: Credential; requestId: string; now: number },
): Promise<void> {
  await cloud.tenants.exclusive(async () => {
    const row = cloud.tenants.named(name);
    if (row === undefined) throw new ProblemError('not_found', `There is no tenant "${name}".`);
    if (row.id === credential.tenant) {
      throw new ProblemError(
        'conflict',
        `Your credential belongs to the tenant "${name}" itself: use an operator of another tenant.`,
      );
    }
    const tenant = await cloud.tenants.get(row.id);
    const remove = async () => {
      const after = (operator: KnownCredential) => (operator.tenant === row.id ? undefined : operator.expiresAt);
      keepOperator(cloud.credentials, after, cloud.now());
      const { kind, id, name: by } = credential;
      const at = new Date(now).toISOString();
      await cloud.store.deleteTenant(row, { at, request_id: requestId, credential: { kind, id, name: by } });
      cloud.tenants.remove(row);
      cloud.credentials.forgetTenant(row.id);
      cloud.history.forget(row.id);
      cloud.metrics.standingViolations.remove({ tenant: row.id });
    };
    await tenant.exclusive(() => cloud.credentials.exclusive(remove));
  });
}
