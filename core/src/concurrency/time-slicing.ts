interface Task {
  /** Takes one step; true when there are no more. */
  step(): boolean;
}

/** Whose work it is. */
interface Owner {
  tasks: Task[];
  /** The position of its next slice in the order of all: its own slices move it on by what they take. */
  place: number;
  /** The turn of the event loop from which on it may go on: later than the next after a step that took too long. */
  from: number;
}

/** The longest that other work of the process waits for a slice of this, as far as its steps are short. */
const SLICE_MS = 1;

/**
 * Runs work that comes in steps beside other work: one slice in each turn of the event loop, however many pieces there
 * are. Slices go to owners so that each has the same time, and who has had least comes first (start-time fair queueing):
 * one who brings little waits for no more than the slice that runs, whatever others bring. The pieces of one owner go by
 * turns. What is short is done at once, as long as the slice of this turn of the event loop is not used up. After a step
 * that took as long as several slices its owner lets as many turns pass, so that others do not meet two such in a row.
 */
export class TimeSlicing {
  readonly #owners = new Map<string, Owner>();
  /** The place of the slice that ran last: who comes anew begins there. */
  #place = 0;
  /** Counts the turns of the event loop in which work goes on. */
  #turn = 0;
  /** The time used of this turn's slice, in milliseconds. */
  #used = 0;
  /** Whether work runs, or goes on in the next turn. */
  #busy = false;

  /** `clock` gives monotonic milliseconds. */
  constructor(private readonly clock: () => number) {}

  /** `owner` is whose work it is: that of all who are not named is one owner's. */
  run<T>(steps: Generator<undefined, T>, owner = ''): Promise<T> {
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
      this.#add(owner, { step });
      if (!this.#busy) this.#slice();
    });
  }

  #add(name: string, task: Task): void {
    const owner = this.#owners.get(name);
    if (owner === undefined) this.#owners.set(name, { tasks: [task], place: this.#place, from: this.#turn });
    else {
      if (owner.tasks.length === 0) owner.place = Math.max(owner.place, this.#place);
      owner.tasks.push(task);
    }
  }

  #slice(): void {
    this.#busy = true;
    let owner = this.#next();
    for (; owner !== undefined && this.#used < SLICE_MS; owner = this.#next()) this.#work(owner);
    // With the slice used up, what comes in the same turn of the event loop waits for the next one, too.
    if (this.#used >= SLICE_MS || this.#waits()) setImmediate(() => this.#resume());
    else this.#busy = false;
  }

  #waits(): boolean {
    for (const { tasks } of this.#owners.values()) if (tasks.length > 0) return true;
    return false;
  }

  #resume(): void {
    this.#used = 0;
    this.#turn++;
    this.#slice();
    if (this.#busy) return;
    this.#owners.clear();
    this.#place = 0;
  }

  /** Does the first piece of an owner's work as far as this turn's slice goes. */
  #work(owner: Owner): void {
    const task = owner.tasks.shift() as Task;
    this.#place = owner.place;
    const startedAt = this.clock();
    let took = 0;
    let done = false;
    do {
      done = task.step();
      took = this.clock() - startedAt;
    } while (!done && this.#used + took < SLICE_MS);
    this.#used += took;
    owner.place += took;
    owner.from = this.#turn + Math.floor(took / SLICE_MS);
    if (!done) owner.tasks.push(task);
  }

  #next(): Owner | undefined {
    let next: Owner | undefined;
    for (const owner of this.#owners.values())
      if (owner.tasks.length > 0 && owner.from <= this.#turn && (next === undefined || owner.place < next.place))
        next = owner;
    return next;
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
