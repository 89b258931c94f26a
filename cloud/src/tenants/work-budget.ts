import { CONDITION_LIMITS } from '@authz-service/core/conditions/limits';
import { ProblemError } from '@authz-service/core/problem';

/**
 * How much work a tenant may have done: so many steps of conditions a second, and as many in one go where it has rested.
 * The last work may go beyond it, which those that follow wait for.
 */
export class WorkBudget {
  #left: number;
  #countedAt: number;

  /** `clock` gives monotonic milliseconds. */
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

  /** Whether there may not be enough left for one more decision. */
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
