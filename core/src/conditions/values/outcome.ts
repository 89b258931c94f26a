/**
 * The results of an evaluation besides a value. If parts of an expression disagree, their order never matters: a part
 * that settles the answer (`false` in a conjunction, `true` in a disjunction) wins over an absent attribute, and an
 * absent attribute over any other failure. An absent attribute settles what the policy does (an ALLOW does not apply, a
 * DENY does); a failure leaves it open.
 */
export abstract class Trouble {}

/** An attribute that neither the request nor the record has, by its path: `context.mfa_level`. */
export class Absent extends Trouble {
  constructor(readonly attribute: string) {
    super();
  }
}

/** Any other reason why there is no value: a type mismatch, a division by zero, too much work. */
export class Failure extends Trouble {
  readonly #cause: string | (() => string);

  /** A text that is costly to compute is computed when it is read, since most failures have no consequence. */
  constructor(cause: string | (() => string)) {
    super();
    this.#cause = cause;
  }

  /** Half a sentence with kinds and paths but never attribute values, because callers and logs receive it. */
  get cause(): string {
    return typeof this.#cause === 'string' ? this.#cause : this.#cause();
  }
}

/** Whether a condition holds. */
export type Outcome = boolean | Absent | Failure;

/** The result where both parts are absent or failed: the first absent attribute, or else the first failure. */
export function worse(first: Trouble | undefined, second: Trouble): Trouble {
  if (first === undefined) return second;
  return second instanceof Absent && !(first instanceof Absent) ? second : first;
}

/** The outcome of a conjunction: false, or else an absent attribute, or else a failure, or else true, in any order. */
export function both(first: Outcome, second: Outcome): Outcome {
  if (first === false || second === false) return false;
  if (first === true) return second;
  if (second === true) return first;
  return worse(first, second) as Absent | Failure;
}

/**
 * Thrown through an evaluation when the steps of the decision are used up. Nothing catches it on the way, so that the
 * answer does not depend on which part of which condition used the last step.
 */
export class OutOfSteps extends Error {}
