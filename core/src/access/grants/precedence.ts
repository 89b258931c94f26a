import type { Policy } from './rule.js';

/**
 * The order in which applicable policies decide, negative where the first comes before the second: the higher priority,
 * then DENY before ALLOW, then the better access path (the smaller rank), then the smaller address
 * (docs/semantics.md 5.1 and 6.2).
 */
export function comparePrecedence(first: Policy, firstRank: number, second: Policy, secondRank: number): number {
  if (first.priority !== second.priority) return second.priority - first.priority;
  if (first.deny !== second.deny) return first.deny ? -1 : 1;
  if (firstRank !== secondRank) return firstRank - secondRank;
  if (first === second) return 0;
  return first.address < second.address ? -1 : 1;
}
