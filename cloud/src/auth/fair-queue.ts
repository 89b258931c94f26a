import { ProblemError } from '@authz-service/core/problem';

interface Waiting {
  start(): void;
  refuse(): void;
}

/**
 * Runs work one piece at a time, for every party in turn, and holds a bounded number of pieces that wait. Once it is full,
 * whoever has the most waiting gives way, so that no party can keep another one out.
 */
export class FairQueue {
  /** What waits, by party, in the order in which the parties' turns come. */
  readonly #waiting = new Map<string, Waiting[]>();
  #size = 0;
  #busy = false;

  constructor(private readonly waitingMax: number) {}

  /**
   * Throws `too_many_requests` where there is no room, and the signal's reason where it is aborted before the work's turn
   * has come.
   */
  run<T>(party: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abandon = () => {
        this.#remove(party, waiting);
        reject(signal?.reason);
      };
      const waiting: Waiting = {
        start: () => {
          signal?.removeEventListener('abort', abandon);
          work()
            .then(resolve, reject)
            .finally(() => this.#next());
        },
        refuse: () => {
          signal?.removeEventListener('abort', abandon);
          reject(full());
        },
      };
      signal?.addEventListener('abort', abandon, { once: true });
      if (this.#busy) return this.#add(party, waiting);
      this.#busy = true;
      waiting.start();
    });
  }

  #add(party: string, waiting: Waiting): void {
    if (this.#size >= this.waitingMax && !this.#makeRoom(party)) {
      waiting.refuse();
      return;
    }
    const own = this.#waiting.get(party);
    if (own) own.push(waiting);
    else this.#waiting.set(party, [waiting]);
    this.#size += 1;
  }

  /** Refuses the latest of the party that has the most waiting; false where this party would then have as much. */
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
    // Those that still wait come after all others.
    this.#waiting.delete(party);
    if (rest.length > 0) this.#waiting.set(party, rest);
    this.#size -= 1;
    first?.start();
  }
}

function full(): ProblemError {
  const detail = 'Too many secrets are waiting to be checked: send the request again in a second.';
  return new ProblemError('too_many_requests', detail, [], { retryAfterSeconds: 1 });
}
