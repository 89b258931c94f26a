import { CONDITION_LIMITS } from '../../conditions/syntax/limits.js';
import { Absent, both, Failure, type Outcome, OutOfSteps } from '../../conditions/values/outcome.js';
import type { Scope } from '../../conditions/values/scope.js';
import type { LazyGuard } from '../grants/lazy-guard.js';
import { isCurrent } from '../grants/period.js';
import type { Policy, Rule } from '../grants/rule.js';
import type { RuleVisitor } from '../grants/target-grants.js';
import type { AccessPath } from '../graph/access-path.js';
import { byPrecedence, type Candidate } from './candidate.js';

/** A policy whose evaluation failed. */
export interface FailedPolicy {
  policy: Policy;
  failure: Failure;
}

/** An ALLOW that does not apply because an attribute is absent. */
export interface UnmetPolicy {
  candidate: Candidate;
  absent: Absent;
}

/** The steps that each candidate with a guard takes before any is evaluated, since they are sorted. */
const WAITING_STEPS = 8;

/** The cause given when a decision runs out of steps. */
export const EXHAUSTED = new Failure(
  `the conditions of its candidates together take more than ${CONDITION_LIMITS.decisionSteps} steps`,
);

/**
 * The combining algorithm: which of the candidates decides. Candidates without a guard apply as they are visited. The
 * others wait, are sorted by precedence, and are evaluated only while they can still change the answer. The result does
 * not depend on the order of visits (docs/semantics.md 4.9, 5.1 to 5.5):
 * - a DENY whose evaluation fails leaves the answer open, unless a DENY of the same or a higher priority applies;
 * - an ALLOW whose evaluation fails leaves it open where nothing applies;
 * - steps that are used up leave it open whatever applies, so that it does not matter which candidate used them.
 */
export class CombiningAlgorithm implements RuleVisitor<AccessPath> {
  /** The deciding candidate so far; null where none applies. */
  deciding: Candidate | null = null;
  /** Set where the deciding DENY applies because this attribute is absent. */
  absent: Absent | null = null;
  /** The first ALLOW by precedence that does not apply because an attribute is absent; it matters if nothing applies. */
  unmet: UnmetPolicy | null = null;
  #now = 0;
  #decision = 0;
  /** The highest priority of a DENY that applies. */
  #denied = Number.NEGATIVE_INFINITY;
  #waiting: Candidate[] = [];
  /** The policies that known ways lead to, where there may be unknown ones; and the best unknown way to each policy. */
  #known: Set<Policy> | null = null;
  #unknown: Map<Policy, Candidate> | null = null;
  /** The ALLOWs to which only unknown ways lead: none applies, but the first may say what the request lacks. */
  #unmet: Candidate[] = [];

  /** `now` is milliseconds since the epoch; `unknown` says whether there may be unknown ways to policies. */
  begin(now: number, unknown: boolean): void {
    this.#decision++;
    this.#now = now;
    this.deciding = null;
    this.absent = null;
    this.unmet = null;
    this.#denied = Number.NEGATIVE_INFINITY;
    if (this.#waiting.length > 0) this.#waiting = [];
    this.#known = unknown ? new Set() : null;
    this.#unknown = null;
    if (this.#unmet.length > 0) this.#unmet = [];
  }

  visit({ policy, period }: Rule, path: AccessPath): void {
    if (!isCurrent(period, this.#now) || !isCurrent(path.period, this.#now)) return;
    const candidate = { policy, path, unknown: null };
    this.#known?.add(policy);
    if (policy.guard === null) this.#apply(candidate, null);
    else this.#waiting.push(candidate);
  }

  visitUnknown({ policy, period }: Rule, path: AccessPath, unknown: Absent): void {
    if (!isCurrent(period, this.#now) || !isCurrent(path.period, this.#now)) return;
    const candidate = { policy, path, unknown };
    this.#unknown ??= new Map();
    const best = this.#unknown.get(policy);
    if (best === undefined || byPrecedence(candidate, best) < 0) this.#unknown.set(policy, candidate);
  }

  /** Call it when all has been visited: unknown ways count for policies that no other way leads to. */
  settle(): void {
    for (const [policy, candidate] of this.#unknown ?? []) {
      if (this.#known?.has(policy)) continue;
      if (!policy.deny) this.#unmet.push(candidate);
      else if (policy.guard === null) this.#apply(candidate, candidate.unknown);
      else this.#waiting.push(candidate);
    }
  }

  #apply(candidate: Candidate, absent: Absent | null): void {
    const { deny, priority } = candidate.policy;
    if (deny && priority > this.#denied) this.#denied = priority;
    if (this.deciding !== null && byPrecedence(this.deciding, candidate) <= 0) return;
    this.deciding = candidate;
    this.absent = absent;
  }

  /** Whether candidates wait for `evaluate`. */
  get waits(): boolean {
    return this.#waiting.length > 0 || (this.#unmet.length > 0 && this.deciding === null);
  }

  /**
   * Evaluates the guards that can change the answer, and returns the failure that leaves it open. It notes the outcome
   * of each in `outcomes`.
   */
  evaluate(scope: Scope, outcomes?: Map<Policy, Outcome>): FailedPolicy | undefined {
    try {
      scope.charge(this.#waiting.length * WAITING_STEPS);
      if (this.#waiting.length > 1) this.#waiting.sort(byPrecedence);
      const failed = this.#evaluateInOrder(scope, outcomes);
      if (failed === undefined && this.deciding === null) this.#findUnmet(scope);
      return failed;
    } catch (error) {
      if (!(error instanceof OutOfSteps)) throw error;
      const foremost = this.#waiting.reduce((first, next) => (byPrecedence(next, first) < 0 ? next : first));
      return { policy: foremost.policy, failure: EXHAUSTED };
    }
  }

  #evaluateInOrder(scope: Scope, outcomes: Map<Policy, Outcome> | undefined): FailedPolicy | undefined {
    let failedDeny: FailedPolicy | undefined;
    let failedAllow: FailedPolicy | undefined;
    for (const candidate of this.#waiting) {
      const { policy } = candidate;
      if (policy.priority < this.#denied) break;
      if (policy.evaluatedIn === this.#decision || !this.#matters(candidate)) continue;
      policy.evaluatedIn = this.#decision;
      const met = (policy.guard as LazyGuard).get().evaluate(scope);
      const outcome = candidate.unknown === null ? met : both(candidate.unknown, met);
      outcomes?.set(policy, outcome);
      if (outcome === true) this.#apply(candidate, null);
      else if (outcome instanceof Absent) {
        if (policy.deny) this.#apply(candidate, outcome);
        else this.unmet ??= { candidate, absent: outcome };
      } else if (outcome instanceof Failure) {
        if (policy.deny) failedDeny ??= { policy, failure: outcome };
        else failedAllow ??= { policy, failure: outcome };
      }
    }
    // The first failed DENY has the highest priority of them.
    if (failedDeny !== undefined && failedDeny.policy.priority > this.#denied) return failedDeny;
    return this.deciding === null ? failedAllow : undefined;
  }

  /**
   * Names the first ALLOW that lacks an attribute, among those of unknown ways, too. What the steps left do not reach stays
   * unnamed: the answer is a denial whatever these conditions give.
   */
  #findUnmet(scope: Scope): void {
    try {
      for (const candidate of this.#unmet.sort(byPrecedence)) {
        const { policy, unknown } = candidate;
        if (this.#unmetBefore(candidate)) return;
        const outcome = both(unknown as Absent, policy.guard === null ? true : policy.guard.get().evaluate(scope));
        if (!(outcome instanceof Absent)) continue;
        this.unmet = { candidate, absent: outcome };
        return;
      }
    } catch (error) {
      if (!(error instanceof OutOfSteps)) throw error;
    }
  }

  #unmetBefore(candidate: Candidate): boolean {
    return this.unmet !== null && byPrecedence(this.unmet.candidate, candidate) < 0;
  }

  /** Whether a policy could change the answer, the policy named in it, or that there is one. */
  #matters(candidate: Candidate): boolean {
    if (this.deciding === null || byPrecedence(candidate, this.deciding) < 0) return true;
    return candidate.policy.deny && candidate.policy.priority > this.#denied;
  }
}
