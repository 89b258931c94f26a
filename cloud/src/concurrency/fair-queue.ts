import { ProblemError } from '@authz-service/core/problem';

interface Waiting {
  asker: string | undefined;
  start(): void;
  refuse(): void;
}

/** The most pieces of one asker that wait, so that others of the same party find room and their turn. */
const OF_ONE_MAX = 2;

/**
 * Runs work one piece at a time, taking parties in turn, with a limited number of waiting pieces. If the queue is full,
 * the party with the most waiting pieces loses one, so that no party can keep another one out.
 */
export class FairQueue {
  /** The waiting pieces by party, in the order of the parties' turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  #size = 0;
  #busy = false;

  /** `what` says in an error what waits: `secrets are waiting to be checked`. */
  constructor(
    private readonly waitingMax: number,
    private readonly what: string,
  ) {}

  /**
   * Throws `too_many_requests` if there is no room, and the signal's reason if it is aborted before it is the work's
   * turn. With an `asker`, who is one of the party, few pieces wait for each.
   */
  run<T>(party: string, work: () => Promise<T>, signal?: AbortSignal, asker?: string): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abandon = () => {
        this.#remove(party, waiting);
        reject(signal?.reason);
      };
      const waiting: Waiting = {
        asker,
        start: () => {
          signal?.removeEventListener('abort', abandon);
          work()
            .then(resolve, reject)
            .finally(() => this.#next());
        },
        refuse: () => {
          signal?.removeEventListener('abort', abandon);
          reject(full(this.what));
        },
      };
      signal?.addEventListener('abort', abandon, { once: true });
      if (this.#busy) return this.#add(party, waiting);
      this.#busy = true;
      waiting.start();
    });
  }

  #add(party: string, waiting: Waiting): void {
    if (this.#hasEnough(party, waiting) || (this.#size >= this.waitingMax && !this.#makeRoom(party))) {
      waiting.refuse();
      return;
    }
    const own = this.#waiting.get(party);
    if (own) own.push(waiting);
    else this.#waiting.set(party, [waiting]);
    this.#size += 1;
  }

  #hasEnough(party: string, { asker }: Waiting): boolean {
    if (asker === undefined) return false;
    const own = this.#waiting.get(party) ?? [];
    return own.filter((one) => one.asker === asker).length >= OF_ONE_MAX;
  }

  /**
   * Refuses the latest piece of the party with the most waiting; returns false if this party would then have as many.
   */
  #makeRoom(party: string): boolean {
    const [[longest, of] = ['', []]] = [...this.#waiting].sort(([, left], [, right]) => right.length - left.length);
    const last = of.at(-1);
    if (last === undefined || of.length <= (this.#waiting.get(party)?.length ?? 0) + 1) return false;
    this.#remove(longest, last);
    last.refuse();
    return true;
  }

  #remove(party: string, waiting: Waiting): void {
    const own = this.#waiting.get(party) ?? [];
    const at = own.indexOf(waiting);
    if (at < 0) return;
    own.splice(at, 1);
    this.#size -= 1;
    if (own.length === 0) this.#waiting.delete(party);
  }

  #next(): void {
    const [turn] = this.#waiting;
    if (turn === undefined) {
      this.#busy = false;
      return;
    }
    const [party, [first, ...rest]] = turn;
    // Parties that still have waiting pieces go to the end.
    this.#waiting.delete(party);
    if (rest.length > 0) this.#waiting.set(party, rest);
    this.#size -= 1;
    first?.start();
  }
}

function full(what: string): ProblemError {
  const detail = `Too many ${what}: send the request again in a second.`;
  return new ProblemError('too_many_requests', detail, [], { retryAfterSeconds: 1 });
}
