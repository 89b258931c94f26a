import { Absent, Failure, type Outcome } from '../conditions/outcome.js';
import type { Scope } from '../conditions/scope.js';
import { isOver, type Policy, type Rule } from './entities.js';
import type { RuleVisitor } from './grants.js';
import type { Way } from './way.js';

/** A policy, and the way on which the subject comes to it. */
export interface Met {
  readonly policy: Policy;
  readonly way: Way;
}

/**
 * The order in which policies decide: priority, then DENY before ALLOW, then the better path, then the smaller
 * address; at last, for one policy met on equal paths, the smaller address of the principal.
 */
export function byPrecedence(left: Met, right: Met): number {
  const first = left.policy;
  const second = right.policy;
  if (first.priority !== second.priority) return second.priority - first.priority;
  if (first.deny !== second.deny) return first.deny ? -1 : 1;
  if (left.way.rank !== right.way.rank) return left.way.rank - right.way.rank;
  if (first !== second) return first.address < second.address ? -1 : 1;
  return byAddress(left.way, right.way);
}

function byAddress(left: Way, right: Way): number {
  const here = `${left.principal.address}//${left.group?.name ?? ''}`;
  const there = `${right.principal.address}//${right.group?.name ?? ''}`;
  return here < there ? -1 : here > there ? 1 : 0;
}

/** A failure that leaves the answer open. */
export interface Failed {
  policy: Policy;
  failure: Failure;
}

/**
 * One decision's way through the rules. Policies without a guard are judged as they are met; the others wait, are put
 * in order of precedence, and are evaluated only while they can still matter. The result does not depend on the order
 * of meeting:
 * - a DENY whose evaluation fails leaves the answer open, unless a DENY of the same or a higher priority applies;
 * - an ALLOW whose evaluation fails leaves it open where nothing applies.
 */
export class Search implements RuleVisitor {
  /** The deciding policy so far; null where none applies. */
  deciding: Met | null = null;
  /** Set where the deciding DENY applies because this attribute is absent. */
  absent: Absent | null = null;
  #now = 0;
  #serial = 0;
  /** The highest priority of a DENY that applies. */
  #denied = Number.NEGATIVE_INFINITY;
  #waiting: Met[] = [];

  /** `now` is milliseconds since the epoch. */
  begin(now: number): void {
    this.#serial++;
    this.#now = now;
    this.deciding = null;
    this.absent = null;
    this.#denied = Number.NEGATIVE_INFINITY;
    if (this.#waiting.length > 0) this.#waiting = [];
  }

  meet({ policy, until }: Rule, way: Way): void {
    if (isOver(until, this.#now) || isOver(way.until, this.#now)) return;
    const met = { policy, way };
    if (policy.guard === null) this.#apply(met, null);
    else this.#waiting.push(met);
  }

  #apply(met: Met, absent: Absent | null): void {
    const { deny, priority } = met.policy;
    if (deny && priority > this.#denied) this.#denied = priority;
    if (this.deciding !== null && byPrecedence(this.deciding, met) <= 0) return;
    this.deciding = met;
    this.absent = absent;
  }

  /** Whether there is anything for `judge` to do. */
  get open(): boolean {
    return this.#waiting.length > 0;
  }

  /** Evaluates the guards that can matter, and returns the failure that leaves the answer open. */
  judge(scope: Scope): Failed | undefined {
    if (this.#waiting.length > 1) this.#waiting.sort(byPrecedence);
    let failedDeny: Failed | undefined;
    let failedAllow: Failed | undefined;
    for (const met of this.#waiting) {
      const { policy } = met;
      if (policy.priority < this.#denied) break;
      if (policy.judgedBy === this.#serial || !this.#matters(met)) continue;
      policy.judgedBy = this.#serial;
      const outcome: Outcome | undefined = policy.guard?.get().evaluate(scope);
      if (outcome === true) this.#apply(met, null);
      else if (outcome instanceof Absent) {
        if (policy.deny) this.#apply(met, outcome);
      } else if (outcome instanceof Failure) {
        if (policy.deny) failedDeny ??= { policy, failure: outcome };
        else failedAllow ??= { policy, failure: outcome };
      }
    }
    // The first failed DENY has the highest priority of them.
    if (failedDeny !== undefined && failedDeny.policy.priority > this.#denied) return failedDeny;
    return this.deciding === null ? failedAllow : undefined;
  }

  /** Whether a policy could change the answer, the policy named in it, or that there is one. */
  #matters(met: Met): boolean {
    if (this.deciding === null || byPrecedence(met, this.deciding) < 0) return true;
    return met.policy.deny && met.policy.priority > this.#denied;
  }
}
