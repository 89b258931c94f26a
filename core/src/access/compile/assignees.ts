import type { Link, Principal } from '../graph/principal.js';

/** Those to whom a policy is assigned. Most policies are assigned to one, who stands for itself. */
export type Assignees = Link | readonly Link[] | Map<Principal, Link> | null;

/** Up to this many are scanned; more are looked up. */
const LIST_MAX = 8;

export function assigneesOf(assignees: Assignees): Iterable<Link> {
  if (assignees === null) return [];
  if (assignees instanceof Map) return assignees.values();
  return isList(assignees) ? assignees : [assignees];
}

export function numberOf(assignees: Assignees): number {
  if (assignees === null) return 0;
  if (assignees instanceof Map) return assignees.size;
  return isList(assignees) ? assignees.length : 1;
}

/** Throws where the principal is among them. */
export function withAssignee(assignees: Assignees, link: Link): Assignees {
  if (assignees === null) return link;
  if (assignees instanceof Map) {
    if (assignees.has(link.to)) throw new Error(`${link.to.address} is already assigned the policy`);
    return assignees.set(link.to, link);
  }
  const list = [...assigneesOf(assignees)];
  if (list.some(({ to }) => to === link.to)) throw new Error(`${link.to.address} is already assigned the policy`);
  if (list.length < LIST_MAX) return [...list, link];
  return new Map([...list, link].map((one) => [one.to, one]));
}

/** Throws where the principal is not among them. */
export function withoutAssignee(assignees: Assignees, principal: Principal): Assignees {
  if (assignees instanceof Map) {
    if (!assignees.delete(principal)) throw new Error(`${principal.address} is not assigned the policy`);
    return assignees.size === 0 ? null : assignees;
  }
  const list = [...assigneesOf(assignees)];
  const rest = list.filter(({ to }) => to !== principal);
  if (rest.length === list.length) throw new Error(`${principal.address} is not assigned the policy`);
  return rest.length > 1 ? rest : (rest[0] ?? null);
}

function isList(assignees: Link | readonly Link[]): assignees is readonly Link[] {
  return Array.isArray(assignees);
}
