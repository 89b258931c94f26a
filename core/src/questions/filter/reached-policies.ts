import type { CompiledEngine } from '../../access/engine/compiled-engine.js';
import { rulesOf } from '../../access/grants/grants.js';
import { isCurrent } from '../../access/grants/period.js';
import type { Policy } from '../../access/grants/rule.js';
import { Below, type Resource, type ResourceType, type Target } from '../../access/grants/target.js';
import { groupsOf } from '../../access/graph/effective-principals.js';
import { itemsOf } from '../../access/graph/few-or-many.js';
import { heldRoles } from '../../access/graph/held-roles.js';
import { hierarchyNodeOf } from '../../access/graph/hierarchy-node.js';
import { holdingOf } from '../../access/graph/holders.js';
import { includedIn } from '../../access/graph/included-roles.js';
import type { Principal } from '../../access/graph/principal.js';
import { isSuspended } from '../../access/graph/suspension.js';
import type { ResourceSearch } from '../../access/search/question.js';
import { append } from '../../collections/append.js';
import { remembered } from '../../collections/remembered.js';
import { ALWAYS, and, or, type RowCondition } from './row-condition.js';
import { NO_PLACEMENT, type Placement, type PlacementBuilder } from './row-places.js';

const EVERYWHERE: Placement = { recorded: undefined, others: ALWAYS, unsaid: false };

/** The policies that cover rows of a type, and the roles of the subject, each with the rows to which it counts. */
export class ReachedPolicies {
  readonly policies = new Map<Policy, Placement>();
  readonly #groups = new Set<Principal>();
  readonly #roles = new Map<Principal, Placement>();
  readonly #found = new Map<Policy, Placement[]>();
  readonly #heldAt = new Map<Principal, Placement[]>();
  /** The places at which each role is held on resources. */
  readonly #placed = new Map<Principal, PlacementBuilder>();

  /** `now` is milliseconds since the epoch. Throws `ambiguous_name`. */
  constructor(
    private readonly engine: CompiledEngine,
    private readonly type: ResourceType,
    question: Omit<ResourceSearch, 'kind'>,
    private readonly now: number,
    private readonly builder: () => PlacementBuilder,
  ) {
    const { subject, action } = question;
    const named = engine.namedRoles(subject.roles).counted;
    const recorded = engine.subjects.get(subject.type)?.get(subject.id);
    if (recorded !== undefined && isSuspended(recorded, now)) return;
    const everyone = engine.everyone.memberOf(subject.type);
    for (const acting of [recorded, everyone]) if (acting != null) this.#act(acting, action.name);
    for (const [role, { placement }] of this.#placed)
      this.#holds([role, ...includedIn(role)], placement, action.name, new Set());
    for (const { principal } of named) this.#holds([principal], EVERYWHERE, action.name, new Set());
    for (const [policy, placements] of this.#found) this.policies.set(policy, joined(placements));
    for (const [role, placements] of this.#heldAt) this.#roles.set(role, joined(placements));
  }

  inGroup(path: string): boolean {
    const group = this.engine.groups.get(path);
    return group !== undefined && this.#groups.has(group);
  }

  /** The rows on which the subject holds a role. */
  holds(path: string): Placement {
    const role = this.engine.roles.get(path);
    return (role && this.#roles.get(role)) ?? NO_PLACEMENT;
  }

  #act(acting: Principal, action: string): void {
    const holders = [acting];
    for (const [group, periods] of groupsOf(acting.groups ?? []))
      if (periods.some((period) => isCurrent(period, this.now))) holders.push(group);
    const seen = new Set<Principal>();
    for (const holder of holders) {
      this.#groups.add(holder);
      this.#covers(holder, EVERYWHERE, action);
      for (const { to, period } of holder.roles ?? [])
        if (isCurrent(period, this.now)) this.#holds([to, ...includedIn(to)], EVERYWHERE, action, seen);
      for (const [role, places] of heldRoles(holder.held)) this.#holdsAt(holder, role, itemsOf(places));
    }
  }

  #holds(roles: readonly Principal[], placement: Placement, action: string, seen: Set<Principal>): void {
    for (const one of roles) {
      if (seen.has(one)) continue;
      seen.add(one);
      append(this.#heldAt, one, placement);
      this.#covers(one, placement, action);
    }
  }

  #holdsAt(holder: Principal, role: Principal, places: Iterable<Resource>): void {
    for (const place of places) {
      const link = holdingOf(hierarchyNodeOf(place)?.holders ?? null, holder, role);
      if (link === undefined || !isCurrent(link.period, this.now)) continue;
      remembered(this.#placed, role, this.builder).addBelow(place);
    }
  }

  #covers({ grants }: Principal, placement: Placement, action: string): void {
    for (const { policy, target, actions, period } of grants === null ? [] : rulesOf(grants)) {
      if (!this.#isMeant(target) || !actions.covers(action) || !isCurrent(period, this.now)) continue;
      append(this.#found, policy, target === this.type ? placement : inBoth(placement, this.#placementOf(target)));
    }
  }

  /** Another type or a resource of one has nothing to say of rows of this one. */
  #isMeant(target: Target): boolean {
    return target === this.type || target instanceof Below || ('type' in target && target.type === this.type);
  }

  #placementOf(target: Target): Placement {
    const builder = this.builder();
    if (target instanceof Below) builder.addBelow(target.resource);
    else builder.add(target as Resource);
    return builder.placement;
  }
}

function joined(placements: readonly Placement[]): Placement {
  const [only] = placements;
  if (only !== undefined && placements.length === 1) return only;
  if (placements.some(({ recorded }) => recorded === undefined)) return EVERYWHERE;
  const others: RowCondition[] = [];
  const recorded = new Set<Resource>();
  for (const placement of placements) {
    for (const resource of placement.recorded ?? []) recorded.add(resource);
    others.push(placement.others);
  }
  return { recorded, others: or(others), unsaid: placements.some(({ unsaid }) => unsaid) };
}

function inBoth(left: Placement, right: Placement): Placement {
  if (left.recorded === undefined) return right;
  const { recorded } = right;
  const both = recorded === undefined ? left.recorded : [...left.recorded].filter((one) => recorded.has(one));
  const may = ({ others, unsaid }: Placement) => unsaid || others.op !== 'never';
  const unsaid = (left.unsaid || right.unsaid) && may(left) && may(right);
  return { recorded: new Set(both), others: and([left.others, right.others]), unsaid };
}
