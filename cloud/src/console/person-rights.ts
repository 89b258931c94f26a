import { PROTECTED_APPLICATION } from '@authz-service/core/limits/judge-console';
import { address, path } from '@authz-service/core/records/address';
import { isSuspendedAt } from '@authz-service/core/records/suspension';
import type { DecisionRequest } from '@authz-service/core/request';
import type { Credential, Grant } from '../auth/credential.js';
import type { CredentialIndex } from '../auth/credential-index.js';
import type { Tenants } from '../tenants/tenants.js';
import type { PersonHolder } from './holder.js';
import type { OidcConfig } from './oidc-config.js';
import { rolesOfGroups } from './roles-of-groups.js';

/** The resource that stands for the console in the tenant's records, by a protected name. */
const CONSOLE = { type: `${PROTECTED_APPLICATION}/console`, name: 'console' };

export interface RightsSource {
  tenants: Tenants;
  credentials: CredentialIndex;
  /** Absent where no identity provider is set up. */
  oidc?: Pick<OidcConfig, 'issuer' | 'groups'> | undefined;
}

/** Rights by the answers of the engine: to records, and never to what gives rights beyond them. */
const RIGHTS: { action: string; grants: readonly Grant[] }[] = [
  { action: 'view', grants: ['decisions', 'records:read'] },
  { action: 'edit', grants: ['decisions', 'records:read', 'records:write'] },
];

/**
 * Returns what a person may do in a tenant at this moment: by the tenant's records, and by the client that names them. A
 * person is `user/SUB` there, unless the settings say otherwise; groups of the provider count as the groups here that the
 * present settings name. Who is suspended may do nothing. Undefined unless the present provider has named the person. Throws what a decision throws: then
 * nothing is granted.
 */
export async function personRights(
  { tenants, credentials, oidc }: RightsSource,
  { tenant: id, holder, now }: { tenant: string; holder: PersonHolder; now: number },
): Promise<Credential | undefined> {
  if (oidc === undefined || holder.issuer !== oidc.issuer) return undefined;
  const tenant = await tenants.get(id);
  const granted = await tenant.inTurn(() => {
    const groups = new Set(holder.providerGroups.flatMap((name) => oidc.groups.get(name) ?? []));
    const roles = rolesOfGroups(tenant.state, [...groups], now);
    const request = (action: string): DecisionRequest => ({
      subject: { ...holder.subject, roles },
      resource: CONSOLE,
      action: { name: action },
    });
    return RIGHTS.filter(({ action }) => tenant.engine.decide(request(action), now).decision);
  });
  const { kind, name } = holder;
  const person = { kind, id: holder.id, name, tenant: id, generation: '' };
  const [client, ...others] = credentials.ofPerson(id, holder.id);
  const { type, id: subject } = holder.subject;
  const record = tenant.state.get(address('subject', path(type, subject)));
  const suspended = record?.kind === 'subject' && isSuspendedAt(record.fields, now);
  // The limits of several may contradict, and no choice among them is safe.
  if (suspended || others.length > 0) return { ...person, grants: new Set() };
  const grants = new Set([
    ...granted.flatMap((right) => right.grants),
    ...((client?.offSince === undefined && client?.grants) || []),
  ]);
  const limits = client?.limits;
  return { ...person, grants, ...(limits && { limits }) };
}
