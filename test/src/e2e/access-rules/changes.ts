/** Changes to the attacked tenant, in few words. */
import type { ServiceClient } from '@authz-service/sdk/client';

export type Change = Parameters<ServiceClient['changeset']>[0]['changes'][number];
export const add = (kind: string, fields: object) => ({ op: 'create', kind, fields }) as unknown as Change;
export const change = (address: string, fields: object) => ({ op: 'update', address, fields }) as unknown as Change;
export const drop = (address: string) => ({ op: 'delete', address }) as unknown as Change;
export const assign = (policy: string, to: string, more = {}) =>
  add('policy_assignment', { policy, ...entity(to), ...more });
export const member = (group: string, who: string, more = {}) =>
  add('group_membership', { group, ...entity(who), ...more });
export const hold = (role: string, who: string, more = {}) => add('role_assignment', { role, ...entity(who), ...more });

function entity(to: string) {
  const slash = to.indexOf('/');
  return { entity_type: to.slice(0, slash), entity: to.slice(slash + 1) };
}

export const EVE = 'subject/user/eve';
export const policy = (fields: object) => ({ application: 'payroll', effect: 'ALLOW', ...fields });
export const IN_SAFE = { resource: 'payroll/drive/safe' };
export const LATER = '2999-01-01T00:00:00Z';
