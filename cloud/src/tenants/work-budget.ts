import { CONDITION_LIMITS } from '@authz-service/core/conditions/syntax/limits';
import { ProblemError } from '@authz-service/core/problem';

/**
 * Limits a tenant's work: so many steps of conditions per second, and as many at once after a pause. The last piece of
 * work may exceed the limit; the following ones wait for that.
 */
export class WorkBudget {
  #left: number;
  #countedAt: number;

  /** `clock` returns monotonic milliseconds. */
  constructor(
    private readonly stepsPerSecond: number,
    private readonly clock: () => number,
  ) {
    this.#left = stepsPerSecond;
    this.#countedAt = clock();
  }

  /** Throws `too_many_requests`. */
  assertLeft(): void {
    const left = this.#count();
    if (left > 0) return;
    const seconds = Math.max(1, Math.ceil(-left / this.stepsPerSecond));
    throw new ProblemError(
      'too_many_requests',
      `The conditions of this tenant have used up its ${this.stepsPerSecond} steps a second: ` +
        `ask again in ${seconds} s, for less at once or with conditions that take fewer steps.`,
      [],
      { retryAfterSeconds: seconds },
    );
  }

  /** Whether too little may be left for one more decision. */
  get isLow(): boolean {
    return this.#count() <= CONDITION_LIMITS.decisionSteps;
  }

  spend(steps: number): void {
    this.#left = this.#count() - steps;
  }

  #count(): number {
    const now = this.clock();
    const earned = ((now - this.#countedAt) / 1000) * this.stepsPerSecond;
    this.#countedAt = now;
    this.#left = Math.min(this.stepsPerSecond, this.#left + earned);
    return this.#left;
  }
}
