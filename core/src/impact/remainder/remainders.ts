import type { Modifiers } from '../../records/policy.js';
import type { Formula } from './formula.js';
import type { Known } from './known.js';
import type { Witness } from './witness.js';

/** What a policy requires; a policy that requires nothing has an empty one. */
export interface PolicyGuard {
  readonly condition?: string | undefined;
  readonly modifiers?: Modifiers | undefined;
  readonly unless?: Modifiers | undefined;
}

/** A policy that covers the subject, action and resource in question. */
export interface RemainingCandidate {
  readonly effect: 'ALLOW' | 'DENY';
  readonly priority: number;
  readonly remainder: Formula;
}

/**
 * Candidates in order of precedence (docs/semantics.md 5.1), without those that make no difference. Lists of one
 * `Remainders` that are the same are one object.
 */
export interface DecisionList {
  readonly id: number;
  readonly candidates: readonly RemainingCandidate[];
}

/** Whether every request is allowed, none, or it depends on the request. A failed evaluation allows nothing. */
export type Verdict = 'allow' | 'deny' | 'depends';

/** What the second of two lists allows in comparison with the first, and a request for each direction. */
export interface Comparison {
  /** `unknown` if it cannot be said: then a witness may still show one direction. */
  readonly change: 'same' | 'gained' | 'lost' | 'mixed' | 'unknown';
  readonly gained?: Witness;
  readonly lost?: Witness;
}

export type Satisfiability =
  | { readonly possible: 'yes'; readonly witness: Witness }
  | { readonly possible: 'no' | 'unknown' };

/**
 * Conditions evaluated as far as what is known goes, and comparisons of what remains. One serves one delta or one check:
 * it remembers all that it has worked out, and its formulas and lists mean nothing to another. No answer hangs on the
 * speed of a machine: work is bounded by counted steps, and what takes more is `unknown`.
 *
 * Requests that are so large that the steps of a decision run out (docs/semantics.md 4.9) are left aside.
 */
export interface Remainders {
  /**
   * What is left of a guard. With `placeUnknown` it is that of a policy to which only unknown ways lead (8.6). It is
   * remembered by guard, by identity, and by the values that the guard reads.
   */
  remainderOf(guard: PolicyGuard, known: Known, placeUnknown?: boolean): Formula;
  listOf(candidates: readonly RemainingCandidate[]): DecisionList;
  verdictOf(list: DecisionList): Verdict;
  compare(before: DecisionList, after: DecisionList): Comparison;
  /** Whether some request is allowed by a list, or makes a formula true. */
  satisfiable(what: DecisionList | Formula): Satisfiability;
  /** The list that decides what this one would decide if no DENY failed: for rules of what must never be possible. */
  withoutFailures(list: DecisionList): DecisionList;
  /** What a request must satisfy, as readable Service CEL: `resource.properties.amount < 10000`. */
  textOf(what: DecisionList | Formula): string;
}
