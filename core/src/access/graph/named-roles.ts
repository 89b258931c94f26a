import { AccessPath, THROUGH_ROLE } from './access-path.js';
import { includedIn } from './included-roles.js';
import { findRole, type Names } from './names.js';
import type { Principal } from './principal.js';

/** The roles that a request names, with those that they include (docs/semantics.md 8.9, 9.3). */
export interface NamedRoles {
  /** The paths to those that count. */
  readonly counted: readonly AccessPath[];
  /** Those that are named in vain. */
  readonly uncounted: ReadonlySet<Principal>;
}

export const NO_ROLES: NamedRoles = { counted: [], uncounted: new Set() };

/** `unnamed` are the roles that requests may not name. Throws `ambiguous_name`. */
export function namedRoles(
  roles: Names<Principal>,
  unnamed: ReadonlySet<Principal>,
  names: readonly string[],
): NamedRoles {
  const named = new Set<Principal>();
  for (const name of names) {
    const role = findRole(roles, name);
    if (role !== undefined) named.add(role);
  }
  const counted: AccessPath[] = [];
  const uncounted = new Set<Principal>();
  for (const role of named) {
    if (unnamed.has(role)) {
      uncounted.add(role);
      continue;
    }
    counted.push(new AccessPath(THROUGH_ROLE, role, null, null));
    for (const one of includedIn(role, unnamed, uncounted))
      counted.push(new AccessPath(THROUGH_ROLE, one, null, null, null, role));
  }
  return { counted, uncounted };
}
