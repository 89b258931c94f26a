import type { Resource } from '../grants/target.js';
import { type FewOrMany, withItem, withoutItem } from './few-or-many.js';
import type { Principal } from './principal.js';

type Places = Exclude<FewOrMany<Resource>, null>;

/**
 * The roles that a principal holds on resources, each with these. Most hold few roles, however many the resources are:
 * a flat array of the roles, each followed by its resources.
 */
export type HeldRoles = null | readonly (Principal | Places)[] | Map<Principal, Places>;

/** Up to this many roles are scanned. */
const SCAN_MAX = 16;

/** With one more. Use the result only: the argument may have been changed. */
export function withHeld(held: HeldRoles, role: Principal, place: Resource): HeldRoles {
  return replaced(held, role, withItem(placesOf(held, role), place));
}

/** Throws where the role is not held there. */
export function withoutHeld(held: HeldRoles, role: Principal, place: Resource): HeldRoles {
  return replaced(held, role, withoutItem(placesOf(held, role), place));
}

/** The roles, each with the resources on which it is held. */
export function* heldRoles(held: HeldRoles): Generator<readonly [Principal, Places], void> {
  if (held instanceof Map) yield* held;
  else
    for (let at = 0; held !== null && at < held.length; at += 2) yield [held[at] as Principal, held[at + 1] as Places];
}

function placesOf(held: HeldRoles, role: Principal): FewOrMany<Resource> {
  if (held instanceof Map) return held.get(role) ?? null;
  const at = held?.indexOf(role) ?? -1;
  return held === null || at < 0 ? null : (held[at + 1] as Places);
}

function replaced(held: HeldRoles, role: Principal, places: FewOrMany<Resource>): HeldRoles {
  if (held instanceof Map) {
    if (places !== null) return held.set(role, places);
    held.delete(role);
    return held.size > 0 ? held : null;
  }
  const at = held?.indexOf(role) ?? -1;
  if (held === null || at < 0) {
    if (places === null) return held;
    const more = [...(held ?? []), role, places];
    return more.length <= 2 * SCAN_MAX ? more : new Map(heldRoles(more));
  }
  if (places !== null) return held.with(at + 1, places);
  return held.length > 2 ? held.toSpliced(at, 2) : null;
}
