import { groupsOf } from '../graph/effective-principals.js';
import type { Principal } from '../graph/principal.js';

/** Whom the subject acts as, as long as any of its memberships lasts. */
export function actedAs(subject: Principal): Set<Principal> {
  const groups = groupsOf(subject.groups ?? []).keys();
  const found = new Set<Principal>([subject, ...groups]);
  // Also the roles that these include, since they are added while the set is gone through.
  for (const holder of found) for (const { to } of holder.roles ?? []) found.add(to);
  return found;
}
