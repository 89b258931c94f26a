/** How a guard, or a part of one, turns out (docs/semantics.md 4.2). */
export type FormulaOutcome = 'true' | 'false' | 'absent' | 'failed';

/**
 * What is left of a guard after all that is known has been filled in. Those of one `Remainders` that mean the same in the
 * same words are one object, so that they are compared by identity.
 */
export interface Formula {
  readonly id: number;
  /** Set where the outcome is the same for every request. */
  readonly constant: FormulaOutcome | undefined;
}
