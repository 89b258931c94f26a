/** Counts work that depends on the length of values. `charge` throws `OutOfSteps` when there is too much. */
export interface Work {
  charge(steps: number): void;
}
