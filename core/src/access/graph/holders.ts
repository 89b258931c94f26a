import type { Link, Principal } from './principal.js';

/**
 * Who holds which roles on a resource. A few holdings are one flat array, the holder of each followed by the link to the
 * role, so that a decision reads little memory; many are found by their holder.
 */
export type Holders = null | readonly (Principal | Link)[] | Map<Principal, readonly Link[]>;

/** Up to this many holdings are scanned faster than the principals of a request are looked up. */
const SCAN_MAX = 24;

/** The holders with one more. Use the result only: the argument may have been changed. */
export function withHolder(holders: Holders, holder: Principal, link: Link): Holders {
  if (holders === null) return [holder, link];
  if (holdingOf(holders, holder, link.to) !== undefined)
    throw new Error(`${holder.address} already holds ${link.to.address} there`);
  if (holders instanceof Map) return holders.set(holder, [...(holders.get(holder) ?? []), link]);
  if (holders.length < 2 * SCAN_MAX) return holders.concat(holder, link);
  const many = new Map<Principal, readonly Link[]>();
  for (const [one, held] of pairs(holders)) many.set(one, [...(many.get(one) ?? []), held]);
  return many.set(holder, [...(many.get(holder) ?? []), link]);
}

/** The holders without this one's role. Throws where it is not held. */
export function withoutHolder(holders: Holders, holder: Principal, role: Principal): Holders {
  if (holdingOf(holders, holder, role) === undefined)
    throw new Error(`${holder.address} does not hold ${role.address} there`);
  if (holders instanceof Map) {
    const rest = holders.get(holder)?.filter(({ to }) => to !== role) ?? [];
    if (rest.length > 0) holders.set(holder, rest);
    else holders.delete(holder);
    return holders.size > 0 ? holders : null;
  }
  const rest = [...pairs(holders ?? [])].filter(([one, { to }]) => one !== holder || to !== role).flat();
  return rest.length > 0 ? rest : null;
}

/** The link by which the holder has the role there. */
export function holdingOf(holders: Holders, holder: Principal, role: Principal): Link | undefined {
  if (holders instanceof Map) return holders.get(holder)?.find(({ to }) => to === role);
  for (let at = 0; holders !== null && at < holders.length; at += 2) {
    const link = holders[at + 1] as Link;
    if (holders[at] === holder && link.to === role) return link;
  }
  return undefined;
}

/** All holdings, each with its holder. */
export function* holdings(holders: Holders): Generator<readonly [Principal, Link], void> {
  if (holders instanceof Map) for (const [holder, links] of holders) for (const link of links) yield [holder, link];
  else yield* pairs(holders ?? []);
}

function* pairs(flat: readonly (Principal | Link)[]): Generator<readonly [Principal, Link], void> {
  for (let at = 0; at < flat.length; at += 2) yield [flat[at] as Principal, flat[at + 1] as Link];
}
