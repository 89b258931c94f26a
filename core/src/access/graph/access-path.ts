import type { LinkPeriod } from '../grants/period.js';
import type { Resource } from '../grants/target.js';
import type { Principal } from './principal.js';

/** The kinds of access path, the better ones first: rank 0 is `direct`. */
export const ACCESS_PATH_KINDS = ['direct', 'role', 'group'] as const;
export const DIRECT = 0;
export const THROUGH_ROLE = 1;
export const THROUGH_GROUP = 2;
export type AccessPathRank = typeof DIRECT | typeof THROUGH_ROLE | typeof THROUGH_GROUP;

/** How a subject comes to a principal whose grants it has (docs/semantics.md 6.1). */
export class AccessPath {
  constructor(
    readonly rank: AccessPathRank,
    readonly principal: Principal,
    /** The group through which it leads: the principal itself, or the one that holds the role; else null. */
    readonly group: Principal | null,
    readonly period: LinkPeriod,
    /** The resource on which the role is held, unless it is held everywhere. */
    readonly place: Resource | null = null,
    /** The role that is held, where the principal is one that it includes. */
    readonly via: Principal | null = null,
  ) {}
}
