import { Absent, both, Failure, type Outcome, OutOfSteps } from '../../conditions/values/outcome.js';
import type { Scope } from '../../conditions/values/scope.js';
import { address, path as pathOf } from '../../records/address.js';
import type { DecisionRequest } from '../../request.js';
import type { ExplainedCandidate } from '../api/decision.js';
import { ALWAYS, inBoth, isCurrent, isEmpty, type LinkPeriod, type Period } from '../grants/period.js';
import type { Policy, Rule } from '../grants/rule.js';
import type { RuleVisitor } from '../grants/target-grants.js';
import { ACCESS_PATH_KINDS, type AccessPath } from '../graph/access-path.js';
import type { Principal } from '../graph/principal.js';
import { byPrecedence, type Candidate, placeAddress } from './candidate.js';
import { ClauseExplainer } from './clause-explainer.js';
import { EXHAUSTED, type FailedPolicy } from './combining-algorithm.js';

/** More milliseconds than lie between any two moments of the years 0000 to 9999. */
const NEVER_AGAIN = 1e15;

/** A candidate, and when it counts: while the assignment and all of the access path do. */
interface DatedCandidate extends Candidate {
  readonly period: Period;
}

/**
 * Collects every candidate, each by its best access path, and evaluates all of them. A policy none of whose paths counts
 * now is shown by the one that begins next, or else by the one that lasted longest.
 */
export class Explainer implements RuleVisitor<AccessPath> {
  readonly #candidates = new Map<Policy, DatedCandidate>();
  readonly #unknown = new Map<Policy, DatedCandidate>();
  readonly #outcomes = new Map<Policy, Pick<ExplainedCandidate, 'outcome' | 'why'>>();
  readonly #clauses = new Map<Policy, Pick<ExplainedCandidate, 'clauses' | 'clauses_left_out'>>();

  constructor(
    private readonly subject: Principal | undefined,
    private readonly request: DecisionRequest,
    private readonly now: number,
  ) {}

  visit(rule: Rule, path: AccessPath): void {
    this.#visit(this.#candidates, rule, path, null);
  }

  visitUnknown(rule: Rule, path: AccessPath, absent: Absent): void {
    this.#visit(this.#unknown, rule, path, absent);
  }

  #visit(
    candidates: Map<Policy, DatedCandidate>,
    { policy, period }: Rule,
    path: AccessPath,
    unknown: Absent | null,
  ): void {
    const candidate = { policy, path, unknown, period: inBoth(period ?? ALWAYS, path.period ?? ALWAYS) };
    const known = candidates.get(policy);
    if (known === undefined || this.#isBetter(candidate, known)) candidates.set(policy, candidate);
  }

  /** Call it when all has been visited: unknown ways count for policies that no other way leads to. */
  settle(): void {
    for (const [policy, candidate] of this.#unknown) {
      const known = this.#candidates.get(policy);
      if (known === undefined || (!isCurrent(known.period, this.now) && isCurrent(candidate.period, this.now)))
        this.#candidates.set(policy, candidate);
    }
  }

  #isBetter(candidate: DatedCandidate, known: DatedCandidate): boolean {
    const [left, right] = [this.#wait(candidate), this.#wait(known)];
    if (left !== right) return left < right;
    const order = byPrecedence(candidate, known);
    // Two paths to one principal differ in their periods, none of which lies in another.
    return order < 0 || (order === 0 && startOf(candidate.path) < startOf(known.path));
  }

  /** How long until it counts: 0 for now, the smallest numbers for what begins next, large ones for what has ended. */
  #wait({ period }: DatedCandidate): number {
    if (isCurrent(period, this.now)) return 0;
    if (isEmpty(period)) return Number.POSITIVE_INFINITY;
    return period.start > this.now ? period.start - this.now : NEVER_AGAIN + this.now - period.end;
  }

  /**
   * Evaluates every candidate but those whose outcome is known from the decision, as far as its steps go, and returns
   * those whose evaluation failed.
   */
  evaluate(scope: Scope, known: ReadonlyMap<Policy, Outcome>): FailedPolicy[] {
    const failed: FailedPolicy[] = [];
    let exhausted = false;
    for (const { policy, period, unknown } of this.#inOrder()) {
      if (!isCurrent(period, this.now)) {
        this.#outcomes.set(policy, { outcome: 'does_not_apply', why: whyNotNow(period, this.now) });
        continue;
      }
      const met = (): Outcome => (exhausted && policy.guard !== null ? EXHAUSTED : outcomeOf(policy, scope));
      const outcome = known.get(policy) ?? (unknown === null ? met() : both(unknown, met()));
      exhausted ||= outcome === EXHAUSTED;
      if (outcome instanceof Failure) failed.push({ policy, failure: outcome });
      this.#outcomes.set(policy, { outcome: effectOf(policy, outcome), why: whyOf(policy, outcome, scope) });
    }
    return failed;
  }

  /** Evaluates the clauses of every candidate that counts now. The scope is one of their own. */
  evaluateClauses(scope: Scope): void {
    const explainer = new ClauseExplainer(scope);
    for (const { policy, period } of this.#inOrder())
      if (isCurrent(period, this.now) && policy.guard !== null)
        this.#clauses.set(policy, explainer.explained(policy.guard));
  }

  candidates(): ExplainedCandidate[] {
    return this.#inOrder().map(({ policy, path }) => ({
      policy: policy.address,
      policy_id: policy.id,
      effect: policy.deny ? 'DENY' : 'ALLOW',
      priority: policy.priority,
      access_path: ACCESS_PATH_KINDS[path.rank],
      through: this.#through(path),
      ...(path.place !== null && { place: placeAddress(path.place) }),
      ...(this.#outcomes.get(policy) ?? { outcome: 'failed', why: 'it has not been evaluated' }),
      ...this.#clauses.get(policy),
    }));
  }

  #inOrder(): DatedCandidate[] {
    return [...this.#candidates.values()].sort(byPrecedence);
  }

  /** Addresses from the subject to the principal that the policy is assigned to. */
  #through({ principal, group, period, via }: AccessPath): string[] {
    const { type, id } = this.request.subject;
    const chain = [address('subject', pathOf(type, id))];
    if (group !== null) chain.push(...chainTo(group, this.subject, this.#momentIn(period)));
    if (via !== null) chain.push(via.address);
    if (principal.kind === 'role') chain.push(principal.address);
    return chain;
  }

  /** Now where that is within the period, else another moment of it. */
  #momentIn(period: LinkPeriod): number {
    if (period === null || isCurrent(period, this.now)) return this.now;
    return Number.isFinite(period.start) ? period.start : period.end - 1;
  }
}

function startOf({ period }: AccessPath): number {
  return period?.start ?? ALWAYS.start;
}

/** The shortest chain of memberships in force at that time, from one of the subject's groups to the group. */
function chainTo(group: Principal, subject: Principal | undefined, now: number): string[] {
  const before = new Map<Principal, Principal | null>();
  const queue: Principal[] = [];
  const enter = (from: Principal | undefined, previous: Principal | null) => {
    const next = (from?.groups ?? []).filter((link) => isCurrent(link.period, now)).map((link) => link.to);
    next.sort((left, right) => (left.name < right.name ? -1 : 1));
    for (const one of next) {
      if (before.has(one)) continue;
      before.set(one, previous);
      queue.push(one);
    }
  };
  enter(subject, null);
  for (let at = 0; at < queue.length && !before.has(group); at++) enter(queue[at], queue[at] ?? null);
  const chain: string[] = [];
  for (let one: Principal | null = group; one !== null; one = before.get(one) ?? null) chain.unshift(one.address);
  return chain;
}

function whyNotNow(period: Period, now: number): string {
  if (isEmpty(period)) return 'the links that lead to it never count at the same time';
  return now < period.start
    ? `what leads to it begins at ${new Date(period.start).toISOString()}`
    : `what led to it ended at ${new Date(period.end).toISOString()}`;
}

function outcomeOf({ guard }: Policy, scope: Scope): Outcome {
  if (guard === null) return true;
  try {
    return guard.get().evaluate(scope);
  } catch (error) {
    if (error instanceof OutOfSteps) return EXHAUSTED;
    throw error;
  }
}

function effectOf(policy: Policy, outcome: Outcome): ExplainedCandidate['outcome'] {
  if (outcome instanceof Failure) return 'failed';
  const applies = outcome === true || (outcome instanceof Absent && policy.deny);
  return applies ? 'applies' : 'does_not_apply';
}

function whyOf(policy: Policy, outcome: Outcome, scope: Scope): string {
  if (outcome instanceof Failure) return outcome.cause;
  if (outcome instanceof Absent)
    return policy.deny ? `${outcome.attribute} is absent, and a DENY applies then` : `${outcome.attribute} is absent`;
  if (policy.guard === null) return 'it has no condition';
  return outcome ? 'all that it requires holds' : policy.guard.get().whyNot(scope);
}
