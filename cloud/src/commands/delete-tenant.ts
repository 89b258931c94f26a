import { ProblemError } from '@authz-service/core/problem';
import type { Credential } from '../auth/credential.js';
import { CredentialIndex } from '../auth/credential-index.js';
import type { Cloud } from '../cloud.js';
import type { TenantRow } from '../store/store.js';
import { assertOperator } from './assert-operator.js';
import { keepOperator } from './guard-credentials.js';

/** Removes a tenant with everything that it holds, including credentials. No credential can remove its own tenant. */
export async function deleteTenant(
  cloud: Cloud,
  { name, credential, requestId, now }: { name: string; credential: Credential; requestId: string; now: number },
): Promise<void> {
  await cloud.refresh();
  await cloud.tenants.exclusive(async () => {
    const row = cloud.tenants.named(name);
    if (row === undefined) throw unknown(name);
    if (row.id === credential.tenant) {
      throw new ProblemError(
        'conflict',
        `Your credential belongs to the tenant "${name}" itself: use an operator of another tenant.`,
      );
    }
    const alone = await cloud.tenants.load(row.id).then(
      (tenant) => (work: () => Promise<void>) => tenant.exclusive(work),
      (error: unknown) => {
        // One that cannot be read is not worked on.
        if (!cloud.tenants.broken().includes(row)) throw error;
        return (work: () => Promise<void>) => work();
      },
    );
    await alone(async () => {
      await cloud.revocationLog?.assertWritable();
      const { kind, id, name: by } = credential;
      const event = { at: new Date(now).toISOString(), request_id: requestId, credential: { kind, id, name: by } };
      const removed = await cloud.store.deleteTenant(row, event, (operators) => {
        const stored = new CredentialIndex(operators);
        assertOperator(stored, credential, now);
        keepOperator(stored, (one) => (one.tenant === row.id ? undefined : one.expiresAt), cloud.now());
      });
      forgetTenant(cloud, row);
      await cloud.revocationLog?.settle(row.id);
      if (!removed) throw unknown(name);
    });
  });
}

/** Forgets a tenant that has been removed from the store. */
export function forgetTenant(
  {
    tenants,
    credentials,
    history,
    analyzer,
    metrics,
  }: Pick<Cloud, 'tenants' | 'credentials' | 'history' | 'analyzer' | 'metrics'>,
  row: TenantRow,
): void {
  tenants.remove(row);
  credentials.forgetTenant(row.id);
  history.forget(row.id);
  analyzer.forget(row.id);
  metrics.existingViolations.remove({ tenant: row.id });
}

function unknown(name: string): ProblemError {
  return new ProblemError('not_found', `There is no tenant "${name}".`);
}
