interface Task {
  /** Takes one step; true when there are no more. */
  step(): boolean;
}

/** The longest that other work of the process waits for a slice of this, as far as its steps are short. */
const SLICE_MS = 2;

/**
 * Runs long work that comes in short steps beside short work: one slice in each turn of the event loop, however many
 * pieces there are, and the pieces by turns. What is short enough is done at once.
 */
export class Turns {
  #tasks: Task[] = [];
  #running = false;

  /** `clock` gives monotonic milliseconds. */
  constructor(private readonly clock: () => number) {}

  run<T>(steps: Generator<undefined, T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const step = (): boolean => {
        try {
          const { done, value } = steps.next();
          if (done) resolve(value);
          return done === true;
        } catch (error) {
          reject(error);
          return true;
        }
      };
      this.#tasks.push({ step });
      if (!this.#running) this.#slice();
    });
  }

  #slice(): void {
    this.#running = true;
    const endsAt = this.clock() + SLICE_MS;
    for (let task = this.#tasks.shift(); task !== undefined; task = this.#tasks.shift()) {
      let done = false;
      while (!done && this.clock() < endsAt) done = task.step();
      if (done) continue;
      this.#tasks.push(task);
      setImmediate(() => this.#slice());
      return;
    }
    this.#running = false;
  }
}

/** Does work that comes in steps at once. */
export function finished<T>(steps: Generator<undefined, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Does the work on each item, so many in a step. */
export function* eachInSteps<T>(
  items: Iterable<T>,
  perStep: number,
  work: (item: T) => void,
): Generator<undefined, void> {
  let done = 0;
  for (const item of items) {
    work(item);
    if (++done % perStep === 0) yield;
  }
}
