import type { Path } from '@authz-service/core/records/address';
import type { TenantState } from '@authz-service/core/state/tenant-state';

/** The roles that a member of these groups holds everywhere at this moment, by what the groups are in, too. */
export function rolesOfGroups(state: TenantState, groups: readonly Path[], now: number): Path[] {
  const known = new Set(groups);
  const roles = new Set<Path>();
  for (const group of known) {
    for (const address of state.inbound(`group/${group}`)) {
      const record = state.get(address);
      if (record?.kind !== 'role_assignment' && record?.kind !== 'group_membership') continue;
      const { fields } = record;
      if (fields.entity_type !== 'group' || fields.entity !== group || !isCurrent(fields, now)) continue;
      if ('group' in fields) known.add(fields.group);
      else if (fields.resource === undefined) roles.add(fields.role);
    }
  }
  return [...roles];
}

function isCurrent(link: { starts_at?: string | undefined; expires_at?: string | undefined }, now: number): boolean {
  const { starts_at: start, expires_at: end } = link;
  return (start === undefined || Date.parse(start) <= now) && (end === undefined || now < Date.parse(end));
}
