/**
 * Separates work that changes something in place from work that reads it over several turns of the event loop. Any
 * number of readers run together; a change waits for running readers, and later readers wait for the change, so that
 * neither starves. Reading within one turn needs no lock, because a change happens within one turn, too.
 */
export class ReadWriteLock {
  #readers = 0;
  #writes: (() => void)[] = [];
  #waiting: (() => void)[] = [];

  /** Whether a change waits for those that read. */
  get changeWaits(): boolean {
    return this.#writes.length > 0;
  }

  read<T>(work: () => Promise<T>): Promise<T> {
    if (this.#writes.length === 0) return this.#run(work);
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(this.#run(work)));
    });
  }

  /** With nobody reading, the work is done before this returns. */
  write<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const write = () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      };
      if (this.#readers === 0) write();
      else this.#writes.push(write);
    });
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    this.#readers++;
    try {
      return await work();
    } finally {
      this.#readers--;
      if (this.#readers === 0) this.#change();
    }
  }

  #change(): void {
    const [writes, waiting] = [this.#writes, this.#waiting];
    this.#writes = [];
    this.#waiting = [];
    for (const write of writes) write();
    for (const start of waiting) start();
  }
}

/**
 * Runs work of several turns on what `current` returns at that time, under its lock, so that the work sees one state of
 * it, whether it is changed in place or replaced.
 */
export async function reading<S, T>(
  current: () => S,
  lockOf: (state: S) => ReadWriteLock,
  work: (state: S) => Promise<T>,
): Promise<T> {
  for (;;) {
    const lock = lockOf(current());
    const done = await lock.read(async () => {
      const state = current();
      return lockOf(state) === lock ? { value: await work(state) } : undefined;
    });
    if (done !== undefined) return done.value;
  }
}
