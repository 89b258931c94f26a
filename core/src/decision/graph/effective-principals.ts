import { type Expiry, endOf } from '../grants/expiry.js';
import { type Grants, targetsOf } from '../grants/grants.js';
import type { Target } from '../grants/target.js';
import { AccessPath, THROUGH_GROUP, THROUGH_ROLE } from './access-path.js';
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
  ) {
    let weight = 1 + found.length;
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

  constructor(private readonly weightMax = MEMO_WEIGHT_MAX) {}

  of(subject: Principal): EffectivePrincipals {
    const { groups, roles } = subject;
    if (groups === null && roles === null) return NOBODY;
    // Most subjects have one group and nothing else: the group's members share one entry.
    const only = roles === null && groups?.length === 1 ? groups[0] : undefined;
    const owner = only !== undefined && only.expiry === null ? only.to : subject;
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
    const found = principalsOf(groups ?? [], roles ?? []);
    let effective = new EffectivePrincipals(found, this.#generation);
    if (this.#weight + effective.weight > this.weightMax) {
      this.#invalidateAll();
      effective = new EffectivePrincipals(found, this.#generation);
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

function principalsOf(groups: readonly Link[], roles: readonly Link[]): (readonly [Grants, AccessPath])[] {
  const found: (readonly [Grants, AccessPath])[] = [];
  const own = new Map<Principal, number>();
  for (const link of roles) {
    own.set(link.to, endOf(link.expiry));
    if (link.to.grants !== null) found.push([link.to.grants, heldPathOf(link)]);
  }
  const held = new Map<Principal, { end: number; group: Principal }>();
  for (const [group, end] of groupsOf(groups)) {
    if (group.grants !== null) found.push([group.grants, new AccessPath(THROUGH_GROUP, group, group, expiryAt(end))]);
    for (const link of group.roles ?? []) {
      const linkEnd = Math.min(end, endOf(link.expiry));
      const known = held.get(link.to);
      if (known === undefined || linkEnd > known.end || (linkEnd === known.end && group.name < known.group.name))
        held.set(link.to, { end: linkEnd, group });
    }
  }
  for (const [role, { end, group }] of held) {
    // A role that the subject holds itself is the better path as long as it lasts.
    if (role.grants !== null && end > (own.get(role) ?? Number.NEGATIVE_INFINITY))
      found.push([role.grants, new AccessPath(THROUGH_GROUP, role, group, expiryAt(end))]);
  }
  return found;
}

/** All groups that the links lead to, upwards, each with the end of the path that lasts longest. */
export function groupsOf(links: readonly Link[]): Map<Principal, number> {
  const ends = new Map<Principal, number>();
  const queue: Principal[] = [];
  const relax = (from: readonly Link[], bound: number) => {
    for (const link of from) {
      const end = Math.min(bound, endOf(link.expiry));
      if (end <= (ends.get(link.to) ?? Number.NEGATIVE_INFINITY)) continue;
      ends.set(link.to, end);
      queue.push(link.to);
    }
  };
  relax(links, Number.POSITIVE_INFINITY);
  for (let at = 0; at < queue.length; at++) {
    const group = queue[at] as Principal;
    relax(group.groups ?? [], ends.get(group) ?? Number.NEGATIVE_INFINITY);
  }
  return ends;
}

function heldPathOf({ to, expiry }: Link): AccessPath {
  if (expiry !== null) return new AccessPath(THROUGH_ROLE, to, null, expiry);
  to.heldPath ??= new AccessPath(THROUGH_ROLE, to, null, null);
  return to.heldPath;
}

function expiryAt(end: number): Expiry {
  return end === Number.POSITIVE_INFINITY ? null : end;
}
