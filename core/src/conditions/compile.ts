import { build } from './build.js';
import { Failure, type Outcome, OutOfSteps, Trouble } from './outcome.js';
import { ConditionFault, parseCondition } from './parse.js';
import type { Scope } from './scope.js';
import { MAP } from './static-type.js';

/** A condition made ready. Evaluating never throws. */
export interface Condition {
  evaluate(scope: Scope): Outcome;
}

/** Compiles a condition. One that does not compile is a condition whose every evaluation fails. */
export function compileCondition(source: string): Condition {
  try {
    const { run } = build(parseCondition(source), MAP);
    return { evaluate: (scope) => evaluate(run, scope) };
  } catch (error) {
    const detail = error instanceof ConditionFault ? error.detail : 'does not compile';
    const failure = new Failure(`the condition is faulty: ${detail}`);
    return { evaluate: () => failure };
  }
}

function evaluate(run: (scope: Scope) => unknown, scope: Scope): Outcome {
  try {
    scope.begin();
    const value = run(scope);
    if (typeof value === 'boolean') return value;
    if (value instanceof Trouble) return value as Outcome;
    return new Failure('the condition gives neither true nor false');
  } catch (error) {
    if (error instanceof OutOfSteps) return new Failure('the condition takes too much work on these values');
    // Values nested too deeply to walk end here; whatever else does is no reason to grant.
    return new Failure('the condition could not be evaluated');
  }
}
