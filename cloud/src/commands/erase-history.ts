import { ProblemError } from '@authz-service/core/problem';
import { address } from '@authz-service/core/records/address';
import type { Credential } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import type { Erased } from '../store/store.js';
import type { Tenant } from '../tenants/tenant.js';
import { followTenant } from './follow-tenant.js';

export interface EraseCommand {
  /** The name of the tenant. */
  tenant: string;
  /** The path of the subject. */
  subject: string;
  /** All properties and the name if absent. */
  properties?: string[] | undefined;
  credential: Credential;
  requestId: string;
  now: number;
}

/**
 * Erases properties of a subject from the history of a tenant. Throws `conflict` while its present record has them, since
 * they would come back into history with its next change. Says how many past versions lost something,
 * and which of the properties none of them has.
 */
export async function eraseFromHistory(
  cloud: Cloud,
  command: EraseCommand,
): Promise<Pick<Erased, 'versions' | 'absent'>> {
  await cloud.refresh();
  const row = cloud.tenants.named(command.tenant);
  if (row === undefined) throw new ProblemError('not_found', `There is no tenant "${command.tenant}".`);
  const tenant = await cloud.tenants.get(row.id);
  const { subject, properties, credential, requestId } = command;
  return await tenant.exclusive(async () => {
    cloud.tenants.assertOpen(tenant.id);
    if (cloud.store.shared) await followTenant(cloud, tenant);
    refusePresent(tenant, subject, properties);
    const { kind, id, name } = credential;
    const by = { at: new Date(command.now).toISOString(), request_id: requestId, credential: { kind, id, name } };
    const { kept, versions, absent } = await cloud.store
      .eraseHistory({ tenant: row, subject, properties, by })
      // A full disk may let the values be taken and then not let the file be written anew.
      .finally(() => {
        tenant.forgetCommits();
        cloud.history.forget(tenant.id);
        cloud.analyzer.forget(tenant.id);
      });
    if (kept === 0 && tenant.state.get(address('subject', subject)) === undefined) {
      throw new ProblemError('not_found', `The tenant "${row.name}" and its history hold no subject "${subject}".`);
    }
    return { versions, absent };
  });
}

function refusePresent({ state }: Tenant, subject: string, properties: readonly string[] | undefined): void {
  const record = state.get(address('subject', subject));
  if (record?.kind !== 'subject') return;
  const { name, properties: own = {} } = record.fields;
  const left = Object.keys(own).filter((property) => properties?.includes(property) ?? true);
  if (properties === undefined && name !== undefined) left.push('name');
  if (left.length === 0) return;
  throw new ProblemError(
    'conflict',
    `The present record ${record.address} still has ${left.map((one) => `"${one}"`).join(', ')}: ` +
      `remove that where "${record.managed_by}" declares it, and then erase the history.`,
  );
}
