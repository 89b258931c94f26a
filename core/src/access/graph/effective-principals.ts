import { type Grants, targetsOf } from '../grants/grants.js';
import { ALWAYS, contains, inBoth, isEmpty, type LinkPeriod, type Period } from '../grants/period.js';
import { Below, type Target } from '../grants/target.js';
import { AccessPath, THROUGH_GROUP, THROUGH_ROLE } from './access-path.js';
import { includedIn } from './included-roles.js';
import type { Link, Principal } from './principal.js';

/**
 * The grants of principals, each followed by the access path to it. One flat array, because a decision mostly finds it
 * outside the processor's caches and should read little memory.
 */
export type GrantsAndPaths = readonly (Grants | AccessPath)[];

/** From this many principals on, an index by target pays. */
const INDEX_MIN = 16;
/** Principals with more targets than this are asked one by one. */
const TARGETS_MAX = 64;

const NONE: GrantsAndPaths = [];

/** The groups of a subject, at any level, and the periods in which each counts, in the same order. */
export interface Groups {
  readonly groups: readonly Principal[];
  readonly periods: readonly (readonly Period[])[];
}

const NO_GROUPS: Groups = { groups: [], periods: [] };

/** The principals that a subject acts as besides itself: its groups, and the roles that it or they hold. Only those with grants. */
export class EffectivePrincipals {
  /** Those that are asked whatever the target. */
  readonly always: GrantsAndPaths;
  readonly #byTarget: Map<Target, GrantsAndPaths> | null;
  /** How much of the memo's room it takes, in entries. */
  readonly weight: number;

  constructor(
    found: readonly (readonly [Grants, AccessPath])[],
    /** Valid while the memo is of this generation. */
    readonly generation: number,
    /** Those that may hold roles on resources. */
    readonly holders: Groups = NO_GROUPS,
  ) {
    let weight = 1 + found.length + holders.groups.length;
    if (found.length < INDEX_MIN) {
      this.always = found.flat();
      this.#byTarget = null;
    } else {
      const always: (Grants | AccessPath)[] = [];
      const byTarget = new Map<Target, (Grants | AccessPath)[]>();
      for (const [grants, accessPath] of found) {
        const targets = targetsOf(grants, TARGETS_MAX);
        if (targets === null) always.push(grants, accessPath);
        for (const target of targets ?? []) {
          const list = byTarget.get(target);
          if (list === undefined) byTarget.set(target, [grants, accessPath]);
          else list.push(grants, accessPath);
          weight++;
        }
      }
      this.always = always;
      this.#byTarget = byTarget;
    }
    this.weight = weight;
  }

  /** Those with grants on this target, besides `always`. */
  for(target: Target): GrantsAndPaths {
    return this.#byTarget?.get(target) ?? NONE;
  }

  /** Those with grants on resources and all below them, besides `always`. */
  *belows(): Generator<readonly [Below, GrantsAndPaths], void> {
    for (const [target, principals] of this.#byTarget ?? []) if (target instanceof Below) yield [target, principals];
  }

  get indexed(): boolean {
    return this.#byTarget !== null;
  }
}

const NOBODY = new EffectivePrincipals([], 0);
/** Entries kept for all subjects of an engine together, at some 100 bytes each. */
const MEMO_WEIGHT_MAX = 500_000;

/**
 * Finds the effective principals of subjects and remembers them within bounds. An outdated entry is recognised by its
 * generation and dropped later, a few at each request, so that no request waits for a sweep.
 */
export class EffectivePrincipalsMemo {
  #generation = 0;
  #weight = 0;
  /** The principals that hold an entry of this generation. */
  #remembered: Principal[] = [];
  /** The principals that hold an older entry, unless they have been asked about since. */
  #outdated: Principal[] = [];

  #withHolders = false;

  constructor(private readonly weightMax = MEMO_WEIGHT_MAX) {}

  /** Call it when a role is held on a resource: the groups of subjects are remembered from then on. */
  rememberHolders(): void {
    if (this.#withHolders) return;
    this.#withHolders = true;
    this.#invalidateAll();
  }

  of(subject: Principal): EffectivePrincipals {
    const { groups, roles } = subject;
    if (groups === null && roles === null) return NOBODY;
    // Most subjects have one group and nothing else: the group's members share one entry.
    const only = roles === null && groups?.length === 1 ? groups[0] : undefined;
    const owner = only !== undefined && only.period === null ? only.to : subject;
    const { effective } = owner;
    return effective !== null && effective.generation === this.#generation
      ? effective
      : this.#remember(owner, groups, roles);
  }

  /** Call it when the grants, the groups or the roles of a principal have changed. */
  invalidate(principal: Principal): void {
    // Only the subject itself acts as the subject.
    if (principal.kind === 'subject') principal.effective = null;
    else if (this.#remembered.length > 0) this.#invalidateAll();
  }

  #invalidateAll(): void {
    this.#generation++;
    this.#weight = 0;
    // The few join the many: a change after few requests must not cost what many requests have left.
    const [few, many] =
      this.#remembered.length < this.#outdated.length
        ? [this.#remembered, this.#outdated]
        : [this.#outdated, this.#remembered];
    for (const one of few) many.push(one);
    this.#outdated = many;
    this.#remembered = [];
  }

  #remember(owner: Principal, groups: readonly Link[] | null, roles: readonly Link[] | null): EffectivePrincipals {
    const all = groupsOf(groups ?? []);
    const found = principalsOf(all, roles ?? []);
    const holders = this.#withHolders ? { groups: [...all.keys()], periods: [...all.values()] } : NO_GROUPS;
    let effective = new EffectivePrincipals(found, this.#generation, holders);
    if (this.#weight + effective.weight > this.weightMax) {
      this.#invalidateAll();
      effective = new EffectivePrincipals(found, this.#generation, holders);
    }
    owner.effective = effective;
    this.#remembered.push(owner);
    this.#weight += effective.weight;
    this.#dropOne();
    this.#dropOne();
    return effective;
  }

  #dropOne(): void {
    const old = this.#outdated.pop();
    if (old?.effective != null && old.effective.generation !== this.#generation) old.effective = null;
  }
}

/** A way to a role: the group that holds it, if any, the role that includes it, if any, and when it counts. */
interface RolePath {
  readonly period: Period;
  readonly group: Principal | null;
  readonly via: Principal | null;
}

function principalsOf(
  groups: ReadonlyMap<Principal, readonly Period[]>,
  roles: readonly Link[],
): (readonly [Grants, AccessPath])[] {
  const found: (readonly [Grants, AccessPath])[] = [];
  const own = new Map<Principal, readonly RolePath[]>();
  for (const link of roles) addWays(own, link, null, ALWAYS);
  for (const [role, ways] of own)
    for (const way of ways) if (role.grants !== null) found.push([role.grants, heldPathOf(role, way)]);
  const held = new Map<Principal, readonly RolePath[]>();
  for (const [group, periods] of groups) {
    for (const period of periods) {
      if (group.grants !== null) found.push([group.grants, pathThrough(group, { group, period, via: null })]);
      for (const link of group.roles ?? []) addWays(held, link, group, period);
    }
  }
  for (const [role, ways] of held) {
    if (role.grants === null) continue;
    const better = own.get(role);
    for (const way of ways) {
      // A role that the subject holds itself is the better path while it counts.
      if (better === undefined || !better.some(({ period }) => contains(period, way.period)))
        found.push([role.grants, pathThrough(role, way)]);
    }
  }
  return found;
}

/** Adds the ways to a role that is held, and to those that it includes. */
function addWays(found: Map<Principal, readonly RolePath[]>, link: Link, group: Principal | null, bound: Period): void {
  const { to, period: own } = link;
  const period = inBoth(bound, own ?? ALWAYS);
  if (isEmpty(period)) return;
  found.set(to, withWay(found.get(to), { period, group, via: null }));
  for (const one of includedIn(to)) found.set(one, withWay(found.get(one), { period, group, via: to }));
}

/** The ways to a role whose periods lie in no other's; of those with the same period the one with the smaller names. */
function withWay(known: readonly RolePath[] | undefined, way: RolePath): readonly RolePath[] {
  if (known === undefined) return [way];
  const before = (one: RolePath) =>
    contains(one.period, way.period) && !(contains(way.period, one.period) && namesOf(way) < namesOf(one));
  if (known.some(before)) return known;
  return [...known.filter((one) => !contains(way.period, one.period)), way];
}

function namesOf({ group, via }: RolePath): string {
  return `${group?.name ?? ''}//${via?.name ?? ''}`;
}

const ALWAYS_ONLY: readonly Period[] = [ALWAYS];

/**
 * All groups that the links lead to, upwards, each with the periods in which it counts, none of them within another. A
 * group is left out where the links of each chain to it never count at one time.
 */
export function groupsOf(links: readonly Link[]): Map<Principal, readonly Period[]> {
  const found = new Map<Principal, readonly Period[]>();
  const queue: { group: Principal; period: Period }[] = [];
  const enter = (from: readonly Link[], bound: Period) => {
    for (const link of from) {
      const period = link.period === null ? bound : inBoth(bound, link.period);
      const known = found.get(link.to);
      if (isEmpty(period) || known?.some((one) => contains(one, period))) continue;
      const others = known?.filter((one) => !contains(period, one)) ?? [];
      found.set(link.to, period === ALWAYS ? ALWAYS_ONLY : [...others, period]);
      queue.push({ group: link.to, period });
    }
  };
  enter(links, ALWAYS);
  for (let at = 0; at < queue.length; at++) {
    const { group, period } = queue[at] as (typeof queue)[number];
    // A longer period that was found since is in the queue itself.
    if (found.get(group)?.includes(period)) enter(group.groups ?? [], period);
  }
  return found;
}

function heldPathOf(role: Principal, { period, via }: RolePath): AccessPath {
  const limited = periodIn(period);
  if (limited !== null || via !== null) return new AccessPath(THROUGH_ROLE, role, null, limited, null, via);
  role.heldPath ??= new AccessPath(THROUGH_ROLE, role, null, null);
  return role.heldPath;
}

function pathThrough(principal: Principal, { period, group, via }: RolePath): AccessPath {
  return new AccessPath(THROUGH_GROUP, principal, group, periodIn(period), null, via);
}

function periodIn(period: Period): LinkPeriod {
  return period === ALWAYS ? null : period;
}
