import type { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import type { WorkBudget } from './work-budget.js';

/** The usual cost of a step of a batch or search, besides its decisions. */
const STEP_STEPS = 50;

/** The engine whose steps are counted. */
interface Counted {
  readonly steps: number;
}

/** Runs a tenant's decisions, batches and searches: taking turns with other tenants, and within its budget. */
export class TenantWork {
  constructor(
    private readonly slicing: TimeSlicing,
    private readonly tenant: string,
    /** Absent if there is no limit. */
    private readonly budget: WorkBudget | undefined,
  ) {}

  /** Whether long work should end with what it has, so that it need not be refused. */
  get shouldEnd(): boolean {
    return this.budget?.isLow ?? false;
  }

  /** Runs work of one turn. `engine` returns the engine for it. Throws `too_many_requests`. */
  once<T>(engine: () => Counted, work: () => T): Promise<Awaited<T>> {
    return this.inSteps(engine, oneStep(work)) as Promise<Awaited<T>>;
  }

  /** Runs work of several turns. Throws `too_many_requests`, also in the middle of the work. */
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
