import { Absent, Failure, type Outcome } from '../conditions/outcome.js';
import type { Scope } from '../conditions/scope.js';
import { address, path } from '../records/address.js';
import { isOver, type Policy, type Principal, type Rule } from './entities.js';
import type { RuleVisitor } from './grants.js';
import { endOf } from './reach.js';
import { ACCESS_PATHS } from './reason.js';
import { byPrecedence, type Failed, type Met } from './search.js';
import type { Candidate, DecisionRequest } from './types.js';
import type { Way } from './way.js';

/** A policy, the way to it, and the end of both, in milliseconds since the epoch. */
interface Found extends Met {
  readonly end: number;
}

/**
 * Gathers every policy that comes into question, each by its best path, and judges all of them. One to which all paths
 * have ended is told by the path that lasted longest.
 */
export class ExplainedSearch implements RuleVisitor {
  readonly #met = new Map<Policy, Found>();
  readonly #outcomes = new Map<Policy, { outcome: Candidate['outcome']; why: string }>();

  constructor(
    private readonly subject: Principal | undefined,
    private readonly request: DecisionRequest,
    private readonly now: number,
  ) {}

  meet({ policy, until }: Rule, way: Way): void {
    const met = { policy, way, end: Math.min(endOf(until), endOf(way.until)) };
    const known = this.#met.get(policy);
    if (known === undefined || this.#isBetter(met, known)) this.#met.set(policy, met);
  }

  #isBetter(met: Found, known: Found): boolean {
    const ended = isOver(met.end, this.now);
    if (ended !== isOver(known.end, this.now)) return !ended;
    if (ended && met.end !== known.end) return met.end > known.end;
    return byPrecedence(met, known) < 0;
  }

  /** Judges every policy that was met, and returns those whose evaluation failed. */
  judge(scope: Scope): Failed[] {
    const failed: Failed[] = [];
    for (const { policy, end } of this.#inOrder()) {
      if (isOver(end, this.now)) {
        const why = `what led to it ended at ${new Date(end).toISOString()}`;
        this.#outcomes.set(policy, { outcome: 'does_not_apply', why });
        continue;
      }
      const outcome = policy.guard === null ? true : policy.guard.get().evaluate(scope);
      if (outcome instanceof Failure) failed.push({ policy, failure: outcome });
      this.#outcomes.set(policy, { outcome: effectOf(policy, outcome), why: whyOf(policy, outcome, scope) });
    }
    return failed;
  }

  candidates(): Candidate[] {
    return this.#inOrder().map((met) => ({
      policy: met.policy.address,
      policy_id: met.policy.id,
      effect: met.policy.deny ? 'DENY' : 'ALLOW',
      priority: met.policy.priority,
      access_path: ACCESS_PATHS[met.way.rank],
      through: this.#through(met.way),
      ...(this.#outcomes.get(met.policy) ?? { outcome: 'failed', why: 'it has not been judged' }),
    }));
  }

  #inOrder(): Found[] {
    return [...this.#met.values()].sort(byPrecedence);
  }

  /** Addresses from the subject to whom the policy is assigned. */
  #through({ principal, group, until }: Way): string[] {
    const { type, id } = this.request.subject;
    const chain = [address('subject', path(type, id))];
    if (group !== null)
      chain.push(...chainTo(group, this.subject, isOver(until, this.now) ? Number.NEGATIVE_INFINITY : this.now));
    if (principal.kind === 'role') chain.push(principal.address);
    return chain;
  }
}

/** The shortest chain of memberships that count then, from one of the subject's groups to the group. */
function chainTo(group: Principal, subject: Principal | undefined, now: number): string[] {
  const before = new Map<Principal, Principal | null>();
  const queue: Principal[] = [];
  const enter = (from: Principal | undefined, previous: Principal | null) => {
    const next = (from?.groups ?? []).filter((link) => !isOver(link.until, now)).map((link) => link.to);
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

function effectOf(policy: Policy, outcome: Outcome): Candidate['outcome'] {
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
