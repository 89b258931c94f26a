import type { Absent } from '../../conditions/values/outcome.js';
import type { SubjectPrincipals } from '../../conditions/values/subject-principals.js';
import type { Work } from '../../conditions/values/work.js';
import type { Path } from '../../records/address.js';
import { isCurrent } from '../grants/period.js';
import type { Resource } from '../grants/target.js';
import { itemsOf } from '../graph/few-or-many.js';
import type { Graph } from '../graph/graph.js';
import { heldRoles } from '../graph/held-roles.js';
import { hierarchyNodeOf } from '../graph/hierarchy-node.js';
import { holdingOf, holdings } from '../graph/holders.js';
import { includedIn } from '../graph/included-roles.js';
import type { Link, Principal } from '../graph/principal.js';
import { placesOf, type ResolvedRequest } from './resolved-request.js';

/** The steps for looking up a name, and for following a link or looking at a place. */
const NAME_STEPS = 8;
const LINK_STEPS = 4;

/**
 * Answers what the conditions of one decision may ask about the principals of its subject (docs/semantics.md 4.11, 4.12).
 * All of them are collected at the first question, whatever it asks, so that the steps taken do not hang on the order of
 * records.
 */
export class ActingPrincipals implements SubjectPrincipals {
  #holders: ReadonlySet<Principal> | undefined;
  #roles: ReadonlySet<Principal> | undefined;

  /** `now` is milliseconds since the epoch. */
  constructor(
    private readonly graph: Pick<Graph, 'groups' | 'roles' | 'everyone'>,
    private readonly resolved: ResolvedRequest,
    private readonly now: number,
  ) {}

  inGroup(path: Path, work: Work): boolean {
    work.charge(NAME_STEPS);
    const group = this.graph.groups.get(path);
    return group !== undefined && this.#allHolders(work).has(group);
  }

  hasRole(path: Path, work: Work): boolean | Absent {
    work.charge(NAME_STEPS);
    const role = this.graph.roles.get(path);
    if (role === undefined) return false;
    return this.#rolesHere(work).has(role) || (this.#mayHold(role, work) ?? false);
  }

  /** The subject, its groups, and everyone. */
  #allHolders(work: Work): ReadonlySet<Principal> {
    if (this.#holders !== undefined) return this.#holders;
    const { subject, request } = this.resolved;
    const found = new Set<Principal>(subject === undefined ? [] : [subject]);
    for (const { to } of this.graph.everyone.memberOf(request.subject.type)?.groups ?? []) found.add(to);
    for (const one of found) this.#follow(one.groups ?? [], found, work);
    this.#holders = found;
    return found;
  }

  /** The roles that are known to be held where the resource is, and those that count because the request names them. */
  #rolesHere(work: Work): ReadonlySet<Principal> {
    if (this.#roles !== undefined) return this.#roles;
    const { roles } = this.resolved;
    const holders = this.#allHolders(work);
    const found = new Set<Principal>();
    for (const { roles: held } of holders) this.#follow(held ?? [], found, work);
    for (const place of placesOf(this.resolved)?.places ?? []) {
      work.charge(LINK_STEPS);
      const here = hierarchyNodeOf(place)?.holders ?? null;
      if (here instanceof Map) {
        work.charge(holders.size * LINK_STEPS);
        for (const holder of holders) this.#follow(here.get(holder) ?? [], found, work);
      } else {
        for (const [holder, link] of holdings(here)) {
          work.charge(LINK_STEPS);
          if (holders.has(holder)) this.#follow([link], found, work);
        }
      }
    }
    // What a role includes is held where and while it is.
    for (const one of found) this.#follow(one.roles ?? [], found, work);
    work.charge(roles.counted.length * LINK_STEPS);
    for (const { principal } of roles.counted) found.add(principal);
    this.#roles = found;
    return found;
  }

  #follow(links: readonly Link[], found: Set<Principal>, work: Work): void {
    work.charge(links.length * LINK_STEPS);
    for (const { to, period } of links) if (isCurrent(period, this.now)) found.add(to);
  }

  /** The smallest attribute that would say whether the resource lies where the role is held, if one would. */
  #mayHold(role: Principal, work: Work): Absent | undefined {
    if (this.resolved.where?.unknown == null) return undefined;
    let smallest: Absent | undefined;
    for (const holder of this.#allHolders(work)) {
      for (const [held, places] of heldRoles(holder.held)) {
        work.charge(LINK_STEPS);
        if (held !== role && !this.#includes(held, role, work)) continue;
        for (const place of itemsOf(places)) {
          work.charge(LINK_STEPS);
          const absent = this.#unknownAt(place);
          if (absent === undefined || (smallest !== undefined && smallest.attribute <= absent.attribute)) continue;
          const link = holdingOf(hierarchyNodeOf(place)?.holders ?? null, holder, held);
          if (link !== undefined && isCurrent(link.period, this.now)) smallest = absent;
        }
      }
    }
    return smallest;
  }

  #includes(holding: Principal, role: Principal, work: Work): boolean {
    const included = includedIn(holding);
    work.charge(included.length * LINK_STEPS);
    return included.includes(role);
  }

  #unknownAt(place: Resource): Absent | undefined {
    const { where } = this.resolved;
    return where?.places.includes(place) ? undefined : where?.unknown?.get(place.type);
  }
}
