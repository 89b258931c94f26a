import type { Absent } from '../../conditions/values/outcome.js';
import { type Grants, rulesOf, visitRules } from '../grants/grants.js';
import { ALWAYS, contains, inBoth, isEmpty, type Period } from '../grants/period.js';
import { Below, type Resource, type ResourceType } from '../grants/target.js';
import type { RuleVisitor } from '../grants/target-grants.js';
import { AccessPath, type AccessPathRank, DIRECT, THROUGH_GROUP, THROUGH_ROLE } from '../graph/access-path.js';
import type { EffectivePrincipals, GrantsAndPaths } from '../graph/effective-principals.js';
import { itemsOf } from '../graph/few-or-many.js';
import { heldRoles } from '../graph/held-roles.js';
import { hierarchyNodeOf } from '../graph/hierarchy-node.js';
import { holdingOf } from '../graph/holders.js';
import { includedIn } from '../graph/included-roles.js';
import type { Link, Principal } from '../graph/principal.js';
import type { Whereabouts } from '../graph/whereabouts.js';
import type { ResolvedRequest } from './resolved-request.js';

/**
 * Visits the rules that count because of where the resource lies (docs/semantics.md 8.4 to 8.6): those of roles held on
 * the resource or on one of its ancestors, and those that cover an ancestor with all below it.
 */
export function visitPlaces(
  { request, type, resource, where }: ResolvedRequest,
  subject: Principal | undefined,
  effective: EffectivePrincipals | undefined,
  named: readonly AccessPath[],
  visitor: RuleVisitor<AccessPath>,
  every: boolean,
): void {
  if (where === null || type === undefined) return;
  const visit = new PlacesVisit(type, resource, where, request.action.name, visitor, every);
  if (subject !== undefined && effective !== undefined) visit.held(subject, effective);
  if (where.belows.length === 0 && where.unknown === null) return;
  if (subject !== undefined && subject.grants !== null)
    visit.belowOf(subject.grants, new AccessPath(DIRECT, subject, null, null));
  if (effective !== undefined) visit.belowOfEach(effective);
  for (const path of named) if (path.principal.grants !== null) visit.belowOf(path.principal.grants, path);
}

const ALWAYS_ONLY: readonly Period[] = [ALWAYS];

class PlacesVisit {
  constructor(
    private readonly type: ResourceType,
    private readonly resource: Resource | undefined,
    private readonly where: Whereabouts,
    private readonly action: string,
    private readonly visitor: RuleVisitor<AccessPath>,
    private readonly every: boolean,
  ) {}

  /** The rules of the roles that the subject and its groups hold on places of the resource. */
  held(subject: Principal, { holders: { groups, periods } }: EffectivePrincipals): void {
    // Everyone is asked about at every decision, and mostly holds no role on any resource.
    if (subject.kind === 'everyone' && groups.every(({ held }) => held === null)) return;
    for (const place of this.where.places) {
      const holders = hierarchyNodeOf(place)?.holders;
      if (holders == null) continue;
      if (holders instanceof Map) {
        for (const link of holders.get(subject) ?? []) this.#holding(link, null, ALWAYS_ONLY, place);
        for (let at = 0; at < groups.length; at++) {
          const group = groups[at] as Principal;
          for (const link of holders.get(group) ?? []) this.#holding(link, group, periods[at] ?? ALWAYS_ONLY, place);
        }
        continue;
      }
      for (let at = 0; at < holders.length; at += 2) {
        const holder = holders[at] as Principal;
        if (holder === subject) {
          this.#holding(holders[at + 1] as Link, null, ALWAYS_ONLY, place);
          continue;
        }
        const group = groups.indexOf(holder);
        if (group >= 0) this.#holding(holders[at + 1] as Link, holder, periods[group] ?? ALWAYS_ONLY, place);
      }
    }
    if (this.where.unknown === null) return;
    this.#maybeHeld(subject, null, ALWAYS_ONLY);
    for (const [at, group] of groups.entries()) this.#maybeHeld(group, group, periods[at] ?? ALWAYS_ONLY);
  }

  /** `bounds` are the periods in which the group counts. */
  #holding(link: Link, group: Principal | null, bounds: readonly Period[], place: Resource): void {
    this.#held(link.to, null, link, group, bounds, place);
    for (const included of includedIn(link.to)) this.#held(included, link.to, link, group, bounds, place);
  }

  /** A role that is held by the link, or one that it includes. */
  #held(
    role: Principal,
    via: Principal | null,
    { period }: Link,
    group: Principal | null,
    bounds: readonly Period[],
    place: Resource,
  ): void {
    const { grants } = role;
    if (grants === null) return;
    for (const bound of bounds) {
      const path = pathTo(role, group, inBoth(bound, period ?? ALWAYS), place, via);
      if (path === undefined) continue;
      visitRules(grants, path, this.type, this.resource, this.action, this.visitor, this.every);
      this.belowOf(grants, path);
    }
  }

  /** Roles on resources below which this one lies, for all that is known. */
  #maybeHeld(holder: Principal, group: Principal | null, bounds: readonly Period[]): void {
    for (const [role, places] of heldRoles(holder.held)) {
      const counting = [role, ...includedIn(role)].filter(
        ({ grants }) => grants !== null && (this.every || denies(grants)),
      );
      if (counting.length === 0) continue;
      /** Periods in which the role is held, by attribute, none of them within another. */
      const held = new Map<Absent, readonly Period[]>();
      for (const place of itemsOf(places)) {
        const absent = this.#unknownAt(place);
        const link = absent && holdingOf(hierarchyNodeOf(place)?.holders ?? null, holder, role);
        if (absent === undefined || link === undefined) continue;
        const period = link.period ?? ALWAYS;
        const known = held.get(absent) ?? [];
        if (known.some((one) => contains(one, period))) continue;
        held.set(absent, [...known.filter((one) => !contains(period, one)), period]);
      }
      for (const [absent, periods] of held) {
        for (const period of periods) {
          for (const bound of bounds) {
            for (const one of counting) {
              const path = pathTo(one, group, inBoth(bound, period), null, one === role ? null : role);
              if (path !== undefined && one.grants !== null) this.#visitUnknown(one.grants, path, absent);
            }
          }
        }
      }
    }
  }

  /** The rules of a role that is held where the resource may lie. */
  #visitUnknown(grants: Grants, path: AccessPath, absent: Absent): void {
    for (const rule of rulesOf(grants)) {
      const { target, actions } = rule;
      if (!actions.covers(this.action)) continue;
      if (target === this.type || (target instanceof Below && this.where.belows.includes(target)))
        this.visitor.visitUnknown(rule, path, absent);
      else if (target instanceof Below) {
        const below = this.#unknownAt(target.resource);
        if (below !== undefined) this.visitor.visitUnknown(rule, path, smaller(absent, below));
      }
    }
  }

  /** The attribute that would say whether the resource lies below this one, which it does not for all that is known. */
  #unknownAt(place: Resource): Absent | undefined {
    const absent = this.where.unknown?.get(place.type);
    return absent === undefined || this.where.places.includes(place) ? undefined : absent;
  }

  belowOfEach(effective: EffectivePrincipals): void {
    for (let at = 0; at < effective.always.length; at += 2)
      this.belowOf(effective.always[at] as Grants, effective.always[at + 1] as AccessPath);
    if (!effective.indexed) return;
    for (const below of this.where.belows) this.#known(effective.for(below), below);
    if (this.where.unknown === null) return;
    for (const [below, principals] of effective.belows()) {
      const absent = this.#unknownAt(below.resource);
      if (absent === undefined) continue;
      for (let at = 0; at < principals.length; at += 2)
        this.#unknown(principals[at] as Grants, principals[at + 1] as AccessPath, below, absent);
    }
  }

  #known(principals: GrantsAndPaths, below: Below): void {
    for (let at = 0; at < principals.length; at += 2) {
      const [grants, path] = [principals[at] as Grants, principals[at + 1] as AccessPath];
      visitRules(grants, path, below, undefined, this.action, this.visitor, this.every);
    }
  }

  /** The rules of a principal on places of the resource with all below them. */
  belowOf(grants: Grants, path: AccessPath): void {
    for (const below of this.where.belows)
      visitRules(grants, path, below, undefined, this.action, this.visitor, this.every);
    if (this.where.unknown === null) return;
    for (const rule of rulesOf(grants)) {
      if (!(rule.target instanceof Below) || !rule.actions.covers(this.action)) continue;
      const absent = this.#unknownAt(rule.target.resource);
      if (absent !== undefined) this.visitor.visitUnknown(rule, path, absent);
    }
  }

  #unknown(grants: Grants, path: AccessPath, below: Below, absent: Absent): void {
    const unknown: RuleVisitor<AccessPath> = {
      visit: (rule, way) => this.visitor.visitUnknown(rule, way, absent),
      visitUnknown: () => {},
    };
    visitRules(grants, path, below, undefined, this.action, unknown, true);
  }
}

function pathTo(
  role: Principal,
  group: Principal | null,
  period: Period,
  place: Resource | null,
  via: Principal | null,
): AccessPath | undefined {
  if (isEmpty(period)) return undefined;
  const rank: AccessPathRank = group === null ? THROUGH_ROLE : THROUGH_GROUP;
  return new AccessPath(rank, role, group, period === ALWAYS ? null : period, place, via);
}

function denies(grants: Grants): boolean {
  for (const { policy } of rulesOf(grants)) if (policy.deny) return true;
  return false;
}

function smaller(left: Absent, right: Absent): Absent {
  return right.attribute < left.attribute ? right : left;
}
