import type { CompiledEngine } from '../../access/engine/compiled-engine.js';
import { type Granted, type Grants, grantedOnTargets, visitAll } from '../../access/grants/grants.js';
import { isCurrent } from '../../access/grants/period.js';
import type { Policy, Rule } from '../../access/grants/rule.js';
import { Below, Resource, type ResourceType, type Target } from '../../access/grants/target.js';
import type { RuleVisitor } from '../../access/grants/target-grants.js';
import { groupsOf } from '../../access/graph/effective-principals.js';
import { heldRoles } from '../../access/graph/held-roles.js';
import { hierarchyNodeOf } from '../../access/graph/hierarchy-node.js';
import { holdingOf } from '../../access/graph/holders.js';
import { includedIn } from '../../access/graph/included-roles.js';
import type { Principal } from '../../access/graph/principal.js';
import { isSuspended } from '../../access/graph/suspension.js';
import type { ResourceSearch } from '../../access/search/question.js';
import { append } from '../../collections/append.js';
import { remembered } from '../../collections/remembered.js';
import { RevisionMemory } from './revision-memory.js';
import { ALWAYS, and, or, type RowCondition } from './row-condition.js';
import { NO_PLACEMENT, type Placement, type PlacementBuilder } from './row-places.js';

const EVERYWHERE: Placement = { recorded: undefined, others: ALWAYS, unsaid: false };

/** Finds a placement when it is first asked for: most roles of a subject lead to nothing that is asked about. */
type LazyPlacement = () => Placement;

const everywhere: LazyPlacement = () => EVERYWHERE;

/** The policies that cover rows of a type, and the roles of the subject, each with the rows to which it counts. */
export class ReachedPolicies implements RuleVisitor<LazyPlacement> {
  readonly policies = new Map<Policy, Placement>();
  readonly #groups = new Set<Principal>();
  readonly #roles = new Map<Principal, Placement>();
  readonly #found = new Map<Policy, Placement[]>();
  readonly #heldAt = new Map<Principal, LazyPlacement[]>();
  /** The resources on which each role is held. */
  readonly #placed = new Map<Principal, Resource[]>();
  readonly #granted: Map<Grants, readonly Granted[]>;

  /** `now` is milliseconds since the epoch. Throws `ambiguous_name`. */
  constructor(
    private readonly engine: CompiledEngine,
    private readonly type: ResourceType,
    question: Omit<ResourceSearch, 'kind'>,
    private readonly now: number,
    private readonly builder: () => PlacementBuilder,
  ) {
    const { granted } = RevisionMemory.of(engine);
    this.#granted = remembered(granted, type, () => new Map<Grants, readonly Granted[]>());
    const { subject, action } = question;
    const named = engine.namedRoles(subject.roles).counted;
    const recorded = engine.subjects.get(subject.type)?.get(subject.id);
    if (recorded !== undefined && isSuspended(recorded, now)) return;
    const everyone = engine.everyone.memberOf(subject.type);
    for (const acting of [recorded, everyone]) if (acting != null) this.#act(acting, action.name);
    for (const [role, places] of this.#placed) this.#holdsAll(role, this.#below(places), action.name);
    for (const { principal } of named) this.#holds(principal, everywhere, action.name);
    for (const [policy, placements] of this.#found) {
      const placement = joined(placements);
      if (placement.recorded?.size !== 0 || mayHaveOthers(placement)) this.policies.set(policy, placement);
    }
  }

  inGroup(path: string): boolean {
    const group = this.engine.groups.get(path);
    return group !== undefined && this.#groups.has(group);
  }

  /** The rows on which the subject holds a role. */
  holds(path: string): Placement {
    const role = this.engine.roles.get(path);
    const held = role && this.#heldAt.get(role);
    if (role === undefined || held === undefined) return NO_PLACEMENT;
    return remembered(this.#roles, role, () => joined(held.map((placement) => placement())));
  }

  #act(acting: Principal, action: string): void {
    const holders = [acting];
    for (const [group, periods] of groupsOf(acting.groups ?? []))
      if (periods.some((period) => isCurrent(period, this.now))) holders.push(group);
    const seen = new Set<Principal>();
    for (const holder of holders) {
      this.#groups.add(holder);
      this.#covers(holder, everywhere, action);
      for (const { to, period } of holder.roles ?? [])
        if (isCurrent(period, this.now)) this.#holdsAll(to, everywhere, action, seen);
      for (const [role, places] of heldRoles(holder.held)) {
        if (places instanceof Resource) this.#holdsAt(holder, role, places);
        else for (const place of places) this.#holdsAt(holder, role, place);
      }
    }
  }

  /** A role and those that it includes, but those that have been `seen`. */
  #holdsAll(role: Principal, placement: LazyPlacement, action: string, seen?: Set<Principal>): void {
    for (const one of [role, ...includedIn(role)]) {
      if (seen?.has(one)) continue;
      seen?.add(one);
      this.#holds(one, placement, action);
    }
  }

  #holds(role: Principal, placement: LazyPlacement, action: string): void {
    append(this.#heldAt, role, placement);
    this.#covers(role, placement, action);
  }

  #holdsAt(holder: Principal, role: Principal, place: Resource): void {
    const link = holdingOf(hierarchyNodeOf(place)?.holders ?? null, holder, role);
    if (link !== undefined && isCurrent(link.period, this.now)) append(this.#placed, role, place);
  }

  #below(places: readonly Resource[]): LazyPlacement {
    let found: Placement | undefined;
    return () => {
      if (found !== undefined) return found;
      const builder = this.builder();
      for (const place of places) builder.addBelow(place);
      found = builder.placement;
      return found;
    };
  }

  #covers({ grants }: Principal, placement: LazyPlacement, action: string): void {
    if (grants === null) return;
    const granted = remembered(this.#granted, grants, () =>
      grantedOnTargets(grants, (target) => this.#isMeant(target)),
    );
    visitAll(granted, placement, action, this);
  }

  visit({ policy, target, period }: Rule, placement: LazyPlacement): void {
    if (!isCurrent(period, this.now)) return;
    append(this.#found, policy, target === this.type ? placement() : inBoth(placement(), this.#placementOf(target)));
  }

  /** Whatever leads to a rule is known here. */
  visitUnknown(): void {}

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
  const unsaid = (left.unsaid || right.unsaid) && mayHaveOthers(left) && mayHaveOthers(right);
  return { recorded: new Set(both), others: and([left.others, right.others]), unsaid };
}

/** Whether a row of which no record has the name may be among them. */
export function mayHaveOthers({ others, unsaid }: Placement): boolean {
  return unsaid || others.op !== 'never';
}
