import type { ActionSet } from './action-set.js';
import type { LazyGuard } from './lazy-guard.js';
import type { LinkPeriod } from './period.js';
import type { Target } from './target.js';

export class Policy {
  /** The number of the last decision that has evaluated it. */
  evaluatedIn = 0;

  constructor(
    readonly address: string,
    readonly id: string,
    readonly deny: boolean,
    readonly priority: number,
    readonly guard: LazyGuard | null,
  ) {}
}

/** A policy's actions on one target, as one assignment grants them. */
export class Rule {
  constructor(
    readonly policy: Policy,
    readonly target: Target,
    readonly actions: ActionSet,
    readonly period: LinkPeriod,
  ) {}
}
