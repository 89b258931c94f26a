import type { Scope } from '../../conditions/values/scope.js';
import type { Address } from '../../records/address.js';
import { isCurrent } from '../grants/period.js';
import type { Policy, Rule } from '../grants/rule.js';
import type { RuleVisitor } from '../grants/target-grants.js';
import type { AccessPath } from '../graph/access-path.js';
import { placeAddress } from './candidate.js';
import type { ResolvedRequest } from './resolved-request.js';

/** The facts that a decision looks at, for tools that ask more of it than its answer. */
export interface Inspection {
  /** The policies that are candidates: they are assigned to a principal, cover action and resource, and count now. */
  readonly candidates: ReadonlySet<Address>;
  /** Those of them to which only unknown ways lead (docs/semantics.md 8.6). */
  readonly unknown: ReadonlySet<Address>;
  /** Whether one of them is an ALLOW: without any, no condition makes the answer a grant. */
  readonly allows: boolean;
  /** The path of the resource's type, and the record of the resource with all that it lies in. */
  readonly type: string | undefined;
  readonly resource: Address | undefined;
  readonly ancestors: readonly Address[];
  /** The scope that conditions read, with all the steps of a decision. */
  scope(): Scope;
}

export class CandidateCollector implements RuleVisitor<AccessPath> {
  readonly found = new Set<Address>();
  readonly unknown = new Set<Address>();
  allows = false;
  readonly #known = new Set<Address>();

  constructor(private readonly now: number) {}

  visit({ policy, period }: Rule, path: AccessPath): void {
    const counts = isCurrent(period, this.now) && isCurrent(path.period, this.now);
    this.#add(policy, counts);
    if (!counts) return;
    this.#known.add(policy.address);
    this.unknown.delete(policy.address);
  }

  /** An ALLOW does not apply by a way that is not known (docs/semantics.md 8.6). */
  visitUnknown({ policy, period }: Rule, path: AccessPath): void {
    const counts = policy.deny && isCurrent(period, this.now) && isCurrent(path.period, this.now);
    this.#add(policy, counts);
    if (counts && !this.#known.has(policy.address)) this.unknown.add(policy.address);
  }

  #add({ address: policy, deny }: Policy, counts: boolean): void {
    if (!counts) return;
    this.found.add(policy);
    this.allows ||= !deny;
  }
}

export function inspectionOf(
  { type, resource, where }: ResolvedRequest,
  { found, unknown, allows }: CandidateCollector,
  scope: () => Scope,
): Inspection {
  const own = resource === undefined ? undefined : placeAddress(resource);
  const ancestors = (where?.places ?? []).map(placeAddress).filter((one) => one !== own);
  return { candidates: found, unknown, allows, type: type?.path, resource: own, ancestors, scope };
}
