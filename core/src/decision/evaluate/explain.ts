import { Absent, Failure, type Outcome, OutOfSteps } from '../../conditions/outcome.js';
import type { Scope } from '../../conditions/scope.js';
import { address, path as pathOf } from '../../records/address.js';
import type { ExplainedCandidate } from '../api/decision.js';
import type { DecisionRequest } from '../api/request.js';
import { endOf, hasExpired } from '../grants/expiry.js';
import type { Policy, Rule } from '../grants/rule.js';
import type { RuleVisitor } from '../grants/target-grants.js';
import { ACCESS_PATH_KINDS, type AccessPath } from '../graph/access-path.js';
import type { Principal } from '../graph/principal.js';
import { byPrecedence, type Candidate } from './candidate.js';
import { EXHAUSTED, type FailedPolicy } from './combining-algorithm.js';

/** A candidate, and when it ends: the assignment or the access path, in milliseconds since the epoch. */
interface DatedCandidate extends Candidate {
  readonly end: number;
}

/**
 * Collects every candidate, each by its best access path, and evaluates all of them. A policy whose paths have all ended
 * is shown by the path that lasted longest.
 */
export class Explainer implements RuleVisitor<AccessPath> {
  readonly #candidates = new Map<Policy, DatedCandidate>();
  readonly #outcomes = new Map<Policy, { outcome: ExplainedCandidate['outcome']; why: string }>();

  constructor(
    private readonly subject: Principal | undefined,
    private readonly request: DecisionRequest,
    private readonly now: number,
  ) {}

  visit({ policy, expiry }: Rule, path: AccessPath): void {
    const candidate = { policy, path, end: Math.min(endOf(expiry), endOf(path.expiry)) };
    const known = this.#candidates.get(policy);
    if (known === undefined || this.#isBetter(candidate, known)) this.#candidates.set(policy, candidate);
  }

  #isBetter(candidate: DatedCandidate, known: DatedCandidate): boolean {
    const ended = hasExpired(candidate.end, this.now);
    if (ended !== hasExpired(known.end, this.now)) return !ended;
    if (ended && candidate.end !== known.end) return candidate.end > known.end;
    return byPrecedence(candidate, known) < 0;
  }

  /**
   * Evaluates every candidate but those whose outcome is known from the decision, as far as its steps go, and returns
   * those whose evaluation failed.
   */
  evaluate(scope: Scope, known: ReadonlyMap<Policy, Outcome>): FailedPolicy[] {
    const failed: FailedPolicy[] = [];
    let exhausted = false;
    for (const { policy, end } of this.#inOrder()) {
      if (hasExpired(end, this.now)) {
        const why = `what led to it ended at ${new Date(end).toISOString()}`;
        this.#outcomes.set(policy, { outcome: 'does_not_apply', why });
        continue;
      }
      const outcome: Outcome =
        known.get(policy) ?? (exhausted && policy.guard !== null ? EXHAUSTED : outcomeOf(policy, scope));
      exhausted ||= outcome === EXHAUSTED;
      if (outcome instanceof Failure) failed.push({ policy, failure: outcome });
      this.#outcomes.set(policy, { outcome: effectOf(policy, outcome), why: whyOf(policy, outcome, scope) });
    }
    return failed;
  }

  candidates(): ExplainedCandidate[] {
    return this.#inOrder().map(({ policy, path }) => ({
      policy: policy.address,
      policy_id: policy.id,
      effect: policy.deny ? 'DENY' : 'ALLOW',
      priority: policy.priority,
      access_path: ACCESS_PATH_KINDS[path.rank],
      through: this.#through(path),
      ...(this.#outcomes.get(policy) ?? { outcome: 'failed', why: 'it has not been evaluated' }),
    }));
  }

  #inOrder(): DatedCandidate[] {
    return [...this.#candidates.values()].sort(byPrecedence);
  }

  /** Addresses from the subject to the principal that the policy is assigned to. */
  #through({ principal, group, expiry }: AccessPath): string[] {
    const { type, id } = this.request.subject;
    const chain = [address('subject', pathOf(type, id))];
    if (group !== null)
      chain.push(...chainTo(group, this.subject, hasExpired(expiry, this.now) ? Number.NEGATIVE_INFINITY : this.now));
    if (principal.kind === 'role') chain.push(principal.address);
    return chain;
  }
}

/** The shortest chain of memberships in force at that time, from one of the subject's groups to the group. */
function chainTo(group: Principal, subject: Principal | undefined, now: number): string[] {
  const before = new Map<Principal, Principal | null>();
  const queue: Principal[] = [];
  const enter = (from: Principal | undefined, previous: Principal | null) => {
    const next = (from?.groups ?? []).filter((link) => !hasExpired(link.expiry, now)).map((link) => link.to);
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
