import type { Candidate } from '@authz-service/sdk/decision';
import type { Address } from '@authz-service/sdk/wire';

/** More ways than these are not drawn: all of them stand below the picture. */
const CANDIDATES_MAX = 8;

/** A step on the way from the subject to the resource. */
export interface Step {
  from: Address;
  to: Address;
  relation: 'member' | 'holds' | 'includes' | 'assigned' | 'covers' | 'parent';
  /** The resource on which a role is held; undefined means everywhere. */
  place?: string;
  /** Whether it is a part of the way that decided. */
  deciding: boolean;
}

/** A policy in the picture, and what came of it. */
export interface DrawnPolicy {
  effect: Candidate['effect'];
  outcome: Candidate['outcome'];
  deciding: boolean;
}

export interface PathGraph {
  nodes: Address[];
  steps: Step[];
  policies: ReadonlyMap<Address, DrawnPolicy>;
  /** Ways that are not drawn. */
  left: number;
}

/**
 * The ways of an explanation as one picture: from the subject through groups and roles to policies, the resource, and what
 * that lies in (`parents`: pairs of a resource and one that it lies in). The deciding way comes first.
 */
export function pathGraph(
  resource: Address,
  candidates: readonly Candidate[],
  deciding: Candidate | undefined,
  parents: readonly (readonly [Address, Address])[],
): PathGraph {
  const others = candidates.filter((candidate) => candidate !== deciding);
  const ordered = deciding === undefined ? others : [deciding, ...others];
  const drawn = ordered.slice(0, CANDIDATES_MAX);
  const nodes = new Set<Address>();
  const steps = new Map<string, Step>();
  const policies = new Map<Address, DrawnPolicy>();
  const add = (step: Step) => {
    nodes.add(step.from).add(step.to);
    const key = `${step.from} ${step.to} ${step.place ?? ''}`;
    if (!steps.has(key)) steps.set(key, step);
  };
  for (const candidate of drawn) {
    const { policy, through, place, effect, outcome } = candidate;
    const isDeciding = candidate === deciding;
    // A policy may be reached by several ways: the first that is drawn, or applies, says what came of it.
    if (!policies.has(policy) || (outcome === 'applies' && policies.get(policy)?.outcome !== 'applies'))
      policies.set(policy, { effect, outcome, deciding: isDeciding || (policies.get(policy)?.deciding ?? false) });
    for (const [index, to] of [...through.slice(1), policy].entries()) {
      const from = through[index] ?? policy;
      const held = place !== undefined && to === firstRole(through);
      add({ from, to, relation: relationOf(from, to), ...(held && { place: placePath(place) }), deciding: isDeciding });
    }
    add({ from: policy, to: resource, relation: 'covers', deciding: isDeciding });
  }
  if (nodes.size > 0) for (const [from, to] of parents) add({ from, to, relation: 'parent', deciding: false });
  return { nodes: [...nodes], steps: [...steps.values()], policies, left: ordered.length - drawn.length };
}

function firstRole(through: readonly Address[]): Address | undefined {
  return through.find((address) => address.startsWith('role/'));
}

function placePath(place: Address): string {
  return place.slice(place.indexOf('/') + 1);
}

function relationOf(from: Address, to: Address): Step['relation'] {
  if (to.startsWith('policy/')) return 'assigned';
  if (to.startsWith('group/')) return 'member';
  return from.startsWith('role/') ? 'includes' : 'holds';
}
