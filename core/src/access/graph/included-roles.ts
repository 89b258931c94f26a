import type { Principal } from './principal.js';

const NONE: readonly Principal[] = [];
const NOBODY: ReadonlySet<Principal> = new Set();

/**
 * The roles that a role includes, at any distance (docs/semantics.md 9.3), but those of `without` and what only these
 * include. It adds to `left` those of `without` that it comes to.
 */
export function includedIn(
  role: Principal,
  without: ReadonlySet<Principal> = NOBODY,
  left?: Set<Principal>,
): readonly Principal[] {
  if (role.roles === null) return NONE;
  const found = new Set([role]);
  for (const one of found)
    for (const { to } of one.roles ?? []) {
      if (without.has(to)) left?.add(to);
      else found.add(to);
    }
  found.delete(role);
  return [...found];
}
