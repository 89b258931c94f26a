import { comparePrecedence } from '../grants/precedence.js';
import type { Policy } from '../grants/rule.js';
import type { AccessPath } from '../graph/access-path.js';

/** A policy that covers the request's resource and action, and the access path to the principal that has it. */
export interface Candidate {
  readonly policy: Policy;
  readonly path: AccessPath;
}

/** Precedence of candidates; of one policy on equal paths, the smaller address of the principal comes first. */
export function byPrecedence(left: Candidate, right: Candidate): number {
  const order = comparePrecedence(left.policy, left.path.rank, right.policy, right.path.rank);
  return order === 0 ? byAddress(left.path, right.path) : order;
}

function byAddress(left: AccessPath, right: AccessPath): number {
  const here = `${left.principal.address}//${left.group?.name ?? ''}`;
  const there = `${right.principal.address}//${right.group?.name ?? ''}`;
  return here < there ? -1 : here > there ? 1 : 0;
}
