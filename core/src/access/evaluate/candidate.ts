import type { Absent } from '../../conditions/values/outcome.js';
import { type Address, address, path } from '../../records/address.js';
import { comparePrecedence } from '../grants/precedence.js';
import type { Policy } from '../grants/rule.js';
import type { Resource } from '../grants/target.js';
import type { AccessPath } from '../graph/access-path.js';

/** A policy that covers the request's resource and action, and the access path to the principal that has it. */
export interface Candidate {
  readonly policy: Policy;
  readonly path: AccessPath;
  /** Set where the way to the policy is unknown: the attribute that would tell (docs/semantics.md 8.6). */
  readonly unknown: Absent | null;
}

/**
 * Precedence of candidates; of one policy on equal paths, the smaller addresses come first: those of principal, group and
 * place, and of unknown ways those of what is absent.
 */
export function byPrecedence(left: Candidate, right: Candidate): number {
  const order = comparePrecedence(left.policy, left.path.rank, right.policy, right.path.rank);
  return order === 0 ? byAddress(left, right) : order;
}

function byAddress(left: Candidate, right: Candidate): number {
  const [here, there] = [wayOf(left), wayOf(right)];
  return here < there ? -1 : here > there ? 1 : 0;
}

function wayOf({ path: { principal, group, place, via }, unknown }: Candidate): string {
  const where = place === null ? '' : placeAddress(place);
  return `${principal.address}//${group?.name ?? ''}//${where}//${via?.name ?? ''}//${unknown?.attribute ?? ''}`;
}

/** The address of a resource on which a role is held. */
export function placeAddress({ type, name }: Resource): Address {
  return address('resource', `${type.path}/${path(name)}`);
}
