/** Runs work one piece at a time, in the order of calls, whether or not the previous piece succeeds. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();
  #open = 0;

  /** Whether work runs or waits. */
  get isBusy(): boolean {
    return this.#open > 0;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    this.#open++;
    const result = this.#last.then(work);
    const ended = () => void this.#open--;
    this.#last = result.then(ended, ended);
    return result;
  }
}
