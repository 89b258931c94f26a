import type { ExplainedCandidate, Explanation } from '../../../access/api/decision.js';
import type { Address } from '../../../records/address.js';
import { EVERY_TYPE } from '../../../records/everyone.js';

/** The most candidates of one answer that are looked at. */
const CHAINS_MAX = 6;

/** The records by which the candidates that decide as the answer does come to apply, the deciding one first. */
export function chainsOf({ decision, policy, candidates }: Explanation): ReadonlySet<Address>[] {
  const effect = decision ? 'ALLOW' : 'DENY';
  return candidates
    .filter((one) => one.outcome === 'applies' && one.effect === effect)
    .sort((left, right) => Number(right.policy === policy) - Number(left.policy === policy))
    .slice(0, CHAINS_MAX)
    .map(chainOf);
}

/** The policy, its assignment, and the links and records that lead from the subject to the assignee. */
function chainOf({ policy, through, place }: ExplainedCandidate): Set<Address> {
  const found = new Set<Address>([policy, ...through]);
  const last = through.at(-1) ?? '';
  found.add(`policy_assignment/${policy.slice('policy/'.length)}//${entityOf(last)}`);
  for (const [at, to] of through.entries()) {
    const from = at === 0 ? undefined : through[at - 1];
    if (from === undefined) continue;
    if (to.startsWith('group/')) found.add(`group_membership/${to.slice('group/'.length)}//${from}`);
    if (!to.startsWith('role/')) continue;
    const link = `role_assignment/${to.slice('role/'.length)}//${entityOf(from)}`;
    found.add(link);
    if (place !== undefined) found.add(`${link}//${place.slice('resource/'.length)}`);
  }
  return found;
}

/** A principal as assignments name it. */
function entityOf(principal: Address): string {
  return principal === 'everyone' ? `everyone/${EVERY_TYPE}` : principal;
}
