import { ProblemError } from '@authz-service/core/problem';

/** The most tenants that are read at a time: with ten connections to the database, most are left for other work. */
const AT_ONCE = 4;
/** A request waits so long for the turn of its tenant. */
const WAIT_MS = 10_000;
/** The time without a question after which nobody waits any more: whoever was refused comes back before. */
const ABANDONED_MS = 30_000;
/** The most requests that wait for the turn of one tenant, so that those of no tenant fill the memory. */
const WAITING_MAX = 200;
const ASK_AGAIN_SECONDS = 2;

interface WaitingTenant<T> {
  read(): Promise<T>;
  resolve(work: Promise<T>): void;
  done: Promise<T>;
  /** Resolves when the reading begins. */
  begun: Promise<void>;
  begin(): void;
  hasBegun: boolean;
  askedAt: number;
  waiting: number;
}

/**
 * The line in which tenants wait to be read from the database. Each has one place, however many ask for it, so that none
 * can keep another one out; who is refused and comes back finds the place where it was.
 */
export class ReadingLine<T> {
  /** In the order of turns; those that are being read, too. */
  readonly #places = new Map<string, WaitingTenant<T>>();
  #reading = 0;

  /** `clock` returns monotonic milliseconds. */
  constructor(
    private readonly clock: () => number,
    private readonly bounds = { atOnce: AT_ONCE, waitMs: WAIT_MS, waitingMax: WAITING_MAX },
  ) {}

  /**
   * Returns what `read` reads of a tenant, or whoever stands in line for it already. Throws `not_ready`, with the time to
   * ask again, if its turn does not come soon enough, and what `read` throws.
   */
  async run(tenant: string, read: () => Promise<T>): Promise<T> {
    const place = this.#places.get(tenant) ?? this.#add(tenant, read);
    place.askedAt = this.clock();
    this.#next();
    if (place.hasBegun) return await place.done;
    if (place.waiting >= this.bounds.waitingMax) throw late();
    place.waiting += 1;
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(late()), this.bounds.waitMs);
    });
    try {
      await Promise.race([place.begun, tooLong]);
    } finally {
      clearTimeout(timer);
      place.waiting -= 1;
    }
    return await place.done;
  }

  #add(tenant: string, read: () => Promise<T>): WaitingTenant<T> {
    let resolve: WaitingTenant<T>['resolve'] = () => {};
    let begin = () => {};
    const done = new Promise<T>((settle) => {
      resolve = settle;
    });
    const begun = new Promise<void>((settle) => {
      begin = settle;
    });
    // All who wait may have been refused.
    done.catch(() => undefined);
    const place = { read, resolve, done, begun, begin, hasBegun: false, askedAt: 0, waiting: 0 };
    this.#places.set(tenant, place);
    return place;
  }

  #next(): void {
    for (const [tenant, place] of this.#places) {
      if (this.#reading >= this.bounds.atOnce) return;
      if (place.hasBegun) continue;
      place.hasBegun = true;
      if (place.waiting === 0 && this.clock() - place.askedAt > ABANDONED_MS) {
        this.#places.delete(tenant);
        continue;
      }
      this.#reading += 1;
      const end = () => {
        this.#reading -= 1;
        this.#places.delete(tenant);
        this.#next();
      };
      const work = place.read();
      work.then(end, end);
      place.resolve(work);
      place.begin();
    }
  }
}

function late(): ProblemError {
  return new ProblemError(
    'not_ready',
    'Many tenants are read from the database at this moment, and it was not the turn of this one yet: ask again soon.',
    [],
    { retryAfterSeconds: ASK_AGAIN_SECONDS },
  );
}
