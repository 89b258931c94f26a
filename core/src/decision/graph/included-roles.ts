import type { Principal } from './principal.js';

const NONE: readonly Principal[] = [];

/** The roles that a role includes, at any distance (docs/semantics.md 9.3). */
export function includedIn(role: Principal): readonly Principal[] {
  if (role.roles === null) return NONE;
  const found = new Set([role]);
  for (const one of found) for (const { to } of one.roles ?? []) found.add(to);
  found.delete(role);
  return [...found];
}
