import type { TimeSlicing } from '@authz-service/core/time-slicing';
import type { WorkBudget } from './work-budget.js';

/** What a step of a batch or search takes beside its decisions, as a rule. */
const STEP_STEPS = 50;

/** Whose steps are counted. */
interface Counted {
  readonly steps: number;
}

/** Runs a tenant's decisions, batches and searches: in turn with those of other tenants, and as far as its budget goes. */
export class TenantWork {
  constructor(
    private readonly slicing: TimeSlicing,
    private readonly tenant: string,
    /** Absent where there is no bound. */
    private readonly budget: WorkBudget | undefined,
  ) {}

  /** Whether long work should end with what it has, so that it need not be refused. */
  get shouldEnd(): boolean {
    return this.budget?.isLow ?? false;
  }

  /** Does what takes one turn. `engine` gives what it decides by then. Throws `too_many_requests`. */
  once<T>(engine: () => Counted, work: () => T): Promise<Awaited<T>> {
    return this.inSteps(engine, oneStep(work)) as Promise<Awaited<T>>;
  }

  /** Does work of several turns. Throws `too_many_requests`, also in the midst of it. */
  inSteps<T>(engine: () => Counted, work: Generator<undefined, T>): Promise<T> {
    return this.slicing.run(this.#counted(engine, work), this.tenant);
  }

  *#counted<T>(engine: () => Counted, work: Generator<undefined, T>): Generator<undefined, T> {
    for (;;) {
      this.budget?.assertLeft();
      const counted = engine();
      const before = counted.steps;
      try {
        const { done, value } = work.next();
        if (done) return value;
      } finally {
        this.budget?.spend(counted.steps - before + STEP_STEPS);
      }
      yield;
    }
  }
}

// biome-ignore lint/correctness/useYield: there is nothing after its only step.
function* oneStep<T>(work: () => T): Generator<undefined, T> {
  return work();
}
