import type { JsonObject } from '../json.js';
import { path } from '../records/address.js';
import type { ActionSet } from './action-set.js';
import type { Grants } from './grants.js';
import type { LazyGuard } from './lazy-guard.js';
import type { Reach } from './reach.js';
import { SplitMap } from './split-map.js';
import type { Way } from './way.js';

/*
 * The compiled tenant as a graph. A record is interned when it is first mentioned, so that records may come in any
 * order. One class stands for each part, with the same members always set in the same order: the engine's speed rests
 * on that.
 */

/** A moment until which a link counts, in milliseconds since the epoch; null where it counts for ever. */
export type Until = number | null;

export function isOver(until: Until, now: number): boolean {
  return until !== null && now >= until;
}

/** A membership in a group or the holding of a role. */
export interface Link {
  readonly to: Principal;
  readonly until: Until;
}

/** Whom policies are assigned to. */
export class Principal {
  grants: Grants | null = null;
  groups: Link[] | null = null;
  roles: Link[] | null = null;
  /** The way there of subjects that have it themselves and for ever. */
  way: Way | null = null;
  /** Remembered by `ReachMemo`. */
  reach: Reach | null = null;
  /** Stored attributes of a subject. */
  properties: JsonObject | undefined = undefined;
  readonly kind: 'subject' | 'group' | 'role';
  /** The type of a subject, else empty. */
  readonly type: string;
  /** The id of a subject, else the path. */
  readonly name: string;

  constructor(kind: 'subject' | 'group' | 'role', type: string, name: string) {
    this.kind = kind;
    this.type = type;
    this.name = name;
  }

  get address(): string {
    return `${this.kind}/${this.kind === 'subject' ? path(this.type, this.name) : this.name}`;
  }
}

export class ResourceType {
  /** The actions that its record declares. */
  actions: readonly string[] = [];
  readonly resources = new SplitMap<Resource>();

  constructor(
    readonly path: string,
    readonly application: string,
    readonly name: string,
  ) {}
}

export class Resource {
  id: string | undefined = undefined;
  properties: JsonObject | undefined = undefined;

  constructor(
    readonly type: ResourceType,
    readonly name: string,
  ) {}
}

/** What a policy may cover: one resource, or all of a type. */
export type Target = ResourceType | Resource;

export class Policy {
  /** The last search that has judged it. */
  judgedBy = 0;

  constructor(
    readonly address: string,
    readonly id: string,
    readonly deny: boolean,
    readonly priority: number,
    readonly guard: LazyGuard | null,
  ) {}
}

/** A policy's actions on one target, as one assignment gives them. */
export class Rule {
  constructor(
    readonly policy: Policy,
    readonly target: Target,
    readonly actions: ActionSet,
    readonly until: Until,
  ) {}
}
