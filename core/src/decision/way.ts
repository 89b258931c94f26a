import type { Principal, Until } from './entities.js';

/** How a subject comes to a principal whose rules it has, best first. */
export const DIRECT = 0;
export const BY_ROLE = 1;
export const BY_GROUP = 2;
export type Rank = typeof DIRECT | typeof BY_ROLE | typeof BY_GROUP;

/** From a subject to a principal that it acts as. */
export class Way {
  constructor(
    readonly rank: Rank,
    readonly principal: Principal,
    /** The group through which it leads: the principal itself, or the one that holds the role; else null. */
    readonly group: Principal | null,
    readonly until: Until,
  ) {}
}
