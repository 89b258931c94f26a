import type { Link, Principal } from './entities.js';

/** Those to whom a policy is assigned. Most policies are assigned to one, who stands for itself. */
export type Holders = Link | readonly Link[] | Map<Principal, Link> | null;

/** So many are looked through, more are looked up. */
const LIST_MAX = 8;

export function holdersOf(holders: Holders): Iterable<Link> {
  if (holders === null) return [];
  if (holders instanceof Map) return holders.values();
  return isList(holders) ? holders : [holders];
}

export function numberOf(holders: Holders): number {
  if (holders === null) return 0;
  if (holders instanceof Map) return holders.size;
  return isList(holders) ? holders.length : 1;
}

/** Throws where it is among them. */
export function withHolder(holders: Holders, link: Link): Holders {
  if (holders === null) return link;
  if (holders instanceof Map) {
    if (holders.has(link.to)) throw new Error(`${link.to.address} already holds the policy`);
    return holders.set(link.to, link);
  }
  const list = [...holdersOf(holders)];
  if (list.some(({ to }) => to === link.to)) throw new Error(`${link.to.address} already holds the policy`);
  if (list.length < LIST_MAX) return [...list, link];
  return new Map([...list, link].map((one) => [one.to, one]));
}

/** Throws where it is not among them. */
export function withoutHolder(holders: Holders, principal: Principal): Holders {
  if (holders instanceof Map) {
    if (!holders.delete(principal)) throw new Error(`${principal.address} does not hold the policy`);
    return holders.size === 0 ? null : holders;
  }
  const list = [...holdersOf(holders)];
  const rest = list.filter(({ to }) => to !== principal);
  if (rest.length === list.length) throw new Error(`${principal.address} does not hold the policy`);
  return rest.length > 1 ? rest : (rest[0] ?? null);
}

function isList(holders: Link | readonly Link[]): holders is readonly Link[] {
  return Array.isArray(holders);
}
