import type { Link, Principal, Target, Until } from './entities.js';
import { type Grants, targetsOf } from './grants.js';
import { BY_GROUP, BY_ROLE, Way } from './way.js';

/**
 * What the principals have been granted that a subject acts as besides itself, each before the way there, in one array:
 * a decision reads little memory, since what it finds there mostly has gone from the processor's caches.
 */
export type Reached = readonly (Grants | Way)[];

/** From so many principals on, an index by target is worth its making. */
const INDEX_MIN = 16;
/** Principals with more targets than this are asked one by one. */
const TARGETS_MAX = 64;

const NOBODY: Reached = [];

/** Every principal with rules that a subject acts as, besides itself. */
export class Reach {
  /** Those that must be asked whatever the target. */
  readonly always: Reached;
  readonly #byTarget: Map<Target, Reached> | null;
  /** How much of the memory set aside it takes, in entries. */
  readonly weight: number;

  constructor(
    reached: readonly (readonly [Grants, Way])[],
    /** It holds as long as its memo is of this generation. */
    readonly generation: number,
  ) {
    let weight = 1 + reached.length;
    if (reached.length < INDEX_MIN) {
      this.always = reached.flat();
      this.#byTarget = null;
    } else {
      const always: (Grants | Way)[] = [];
      const byTarget = new Map<Target, (Grants | Way)[]>();
      for (const [grants, way] of reached) {
        const targets = targetsOf(grants, TARGETS_MAX);
        if (targets === null) always.push(grants, way);
        for (const target of targets ?? []) {
          const list = byTarget.get(target);
          if (list === undefined) byTarget.set(target, [grants, way]);
          else list.push(grants, way);
          weight++;
        }
      }
      this.always = always;
      this.#byTarget = byTarget;
    }
    this.weight = weight;
  }

  /** Those with rules for this target, besides `always`. */
  for(target: Target): Reached {
    return this.#byTarget?.get(target) ?? NOBODY;
  }

  get indexed(): boolean {
    return this.#byTarget !== null;
  }
}

const NOTHING = new Reach([], 0);
/** Entries kept for all subjects of an engine together, at some 100 bytes each. */
const MEMO_WEIGHT_MAX = 500_000;

/**
 * Finds what subjects reach, and remembers it within bounds. What is outdated is told by its generation, and let go of
 * little by little, so that no request waits for that.
 */
export class ReachMemo {
  #generation = 0;
  #weight = 0;
  /** Those who remember something of this generation. */
  #remembered: Principal[] = [];
  /** Those who remember something older, unless they have been asked about since. */
  #outdated: Principal[] = [];

  constructor(private readonly weightMax = MEMO_WEIGHT_MAX) {}

  of(subject: Principal): Reach {
    const { groups, roles } = subject;
    if (groups === null && roles === null) return NOTHING;
    // Most subjects have one group and nothing else: they share what the group's members reach.
    const only = roles === null && groups?.length === 1 ? groups[0] : undefined;
    const owner = only !== undefined && only.until === null ? only.to : subject;
    const { reach } = owner;
    return reach !== null && reach.generation === this.#generation ? reach : this.#remember(owner, groups, roles);
  }

  /** To be called when the rules, the groups or the roles of a principal have changed. */
  outdate(principal: Principal): void {
    // Nobody reaches anything through a subject but itself.
    if (principal.kind === 'subject') principal.reach = null;
    else if (this.#remembered.length > 0) this.#outdate();
  }

  #outdate(): void {
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

  #remember(owner: Principal, groups: readonly Link[] | null, roles: readonly Link[] | null): Reach {
    const reached = reachedBy(groups ?? [], roles ?? []);
    let reach = new Reach(reached, this.#generation);
    if (this.#weight + reach.weight > this.weightMax) {
      this.#outdate();
      reach = new Reach(reached, this.#generation);
    }
    owner.reach = reach;
    this.#remembered.push(owner);
    this.#weight += reach.weight;
    this.#letGo();
    this.#letGo();
    return reach;
  }

  #letGo(): void {
    const old = this.#outdated.pop();
    if (old?.reach != null && old.reach.generation !== this.#generation) old.reach = null;
  }
}

function reachedBy(groups: readonly Link[], roles: readonly Link[]): (readonly [Grants, Way])[] {
  const reached: (readonly [Grants, Way])[] = [];
  const own = new Map<Principal, number>();
  for (const link of roles) {
    own.set(link.to, endOf(link.until));
    if (link.to.grants !== null) reached.push([link.to.grants, wayOf(link)]);
  }
  const held = new Map<Principal, { end: number; group: Principal }>();
  for (const [group, end] of groupsOf(groups)) {
    if (group.grants !== null) reached.push([group.grants, new Way(BY_GROUP, group, group, untilOf(end))]);
    for (const link of group.roles ?? []) {
      const until = Math.min(end, endOf(link.until));
      const known = held.get(link.to);
      if (known === undefined || until > known.end || (until === known.end && group.name < known.group.name))
        held.set(link.to, { end: until, group });
    }
  }
  for (const [role, { end, group }] of held) {
    // A role of the subject's own is the better path as long as it lasts.
    if (role.grants !== null && end > (own.get(role) ?? Number.NEGATIVE_INFINITY))
      reached.push([role.grants, new Way(BY_GROUP, role, group, untilOf(end))]);
  }
  return reached;
}

/** All groups that the links lead to, upwards, each with the end of the path that lasts longest. */
export function groupsOf(links: readonly Link[]): Map<Principal, number> {
  const ends = new Map<Principal, number>();
  const queue: Principal[] = [];
  const relax = (from: readonly Link[], bound: number) => {
    for (const link of from) {
      const end = Math.min(bound, endOf(link.until));
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

export function endOf(until: Until): number {
  return until ?? Number.POSITIVE_INFINITY;
}

function wayOf({ to, until }: Link): Way {
  if (until !== null) return new Way(BY_ROLE, to, null, until);
  to.way ??= new Way(BY_ROLE, to, null, null);
  return to.way;
}

function untilOf(end: number): Until {
  return end === Number.POSITIVE_INFINITY ? null : end;
}
