import type { DecisionRequest } from '@authz-service/core/decision/api/request';
import type { Credential, Grant } from '../auth/credential.js';
import type { CredentialIndex } from '../auth/credential-index.js';
import type { Tenants } from '../tenants/tenants.js';
import type { PersonHolder } from './holder.js';
import { rolesOfGroups } from './roles-of-groups.js';

/** What the tenant's records protect by the name of the console. */
const APPLICATION = 'service-console';
const CONSOLE = { type: `${APPLICATION}/console`, name: 'console' };

/** What the answers of the engine allow: records, and never what gives rights beyond them. */
const RIGHTS: { action: string; grants: readonly Grant[] }[] = [
  { action: 'view', grants: ['decisions', 'records:read'] },
  { action: 'edit', grants: ['decisions', 'records:read', 'records:write'] },
];

/**
 * What a person may do in a tenant at this moment: by the tenant's records, and by the client that names them. A person is `user/SUB` there, unless the
 * settings say otherwise; groups of the provider count as the groups here that the settings name. Throws what a decision
 * throws: then nothing is granted.
 */
export async function personRights(
  { tenants, credentials }: { tenants: Tenants; credentials: CredentialIndex },
  { tenant: id, holder, now }: { tenant: string; holder: PersonHolder; now: number },
): Promise<Credential> {
  const tenant = await tenants.get(id);
  const granted = await tenant.inTurn(() => {
    const roles = rolesOfGroups(tenant.state, holder.groups, now);
    const request = (action: string): DecisionRequest => ({
      subject: { ...holder.subject, roles },
      resource: CONSOLE,
      action: { name: action },
    });
    return RIGHTS.filter(({ action }) => tenant.engine.decide(request(action), now).decision);
  });
  const client = credentials.ofPerson(id, holder.id);
  const grants = new Set([...granted.flatMap((right) => right.grants), ...(client?.grants ?? [])]);
  const limits = client?.limits;
  const { kind, name } = holder;
  return { kind, id: holder.id, name, tenant: id, grants, generation: '', ...(limits && { limits }) };
}
