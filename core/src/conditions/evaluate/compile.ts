import { ConditionFault, parseCondition } from '../syntax/parse.js';
import { Failure, type Outcome, OutOfSteps, Trouble } from '../values/outcome.js';
import type { Scope } from '../values/scope.js';
import { MAP } from '../values/static-type.js';
import { build } from './build.js';

/** A compiled condition. Evaluating it throws nothing but `OutOfSteps`. */
export interface Condition {
  evaluate(scope: Scope): Outcome;
}

/** Compiles a condition. One that does not compile is a condition whose every evaluation fails. */
export function compileCondition(source: string): Condition {
  try {
    const { run, size } = build(parseCondition(source), MAP);
    return { evaluate: (scope) => evaluate(run, size, scope) };
  } catch (error) {
    const detail = error instanceof ConditionFault ? error.detail : 'does not compile';
    const failure = new Failure(`the condition is invalid: ${detail}`);
    return { evaluate: () => failure };
  }
}

/** The outcome of a compiled expression of this many nodes. Throws nothing but `OutOfSteps`. */
export function evaluate(run: (scope: Scope) => unknown, size: number, scope: Scope): Outcome {
  try {
    scope.charge(size);
    const value = run(scope);
    if (typeof value === 'boolean') return value;
    if (value instanceof Trouble) return value as Outcome;
    return new Failure('the condition gives neither true nor false');
  } catch (error) {
    if (error instanceof OutOfSteps) throw error;
    // Values that are nested too deeply overflow the stack and end here. No other error may grant anything either.
    return new Failure('the condition could not be evaluated');
  }
}
