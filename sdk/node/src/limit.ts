/**
 * A signal that aborts when its parent does, with the parent's reason, or after `ms` milliseconds with a reason of its
 * own. `end` must be called when the work is over: until then the timer and the parent's listener stay.
 */
export class Limit {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #follow = (): void => this.#controller.abort(this.#parent?.reason);

  constructor(parent: AbortSignal | undefined, ms: number, reason: () => unknown) {
    this.#parent = parent;
    this.#timer = setTimeout(() => this.#controller.abort(reason()), ms);
    if (parent?.aborted) this.#follow();
    else if (parent !== undefined) follow(parent, this.#follow);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    clearTimeout(this.#timer);
    if (this.#parent !== undefined) unfollow(this.#parent, this.#follow);
  }
}

/**
 * One listener for all that follow a signal, such as that of a server that shuts down: Node takes more than ten listeners
 * for a leak, and warns.
 */
const followed = new WeakMap<AbortSignal, { followers: Set<() => void>; tell: () => void }>();

function follow(signal: AbortSignal, follower: () => void): void {
  const known = followed.get(signal);
  if (known !== undefined) {
    known.followers.add(follower);
    return;
  }
  const followers = new Set([follower]);
  const tell = (): void => {
    for (const one of followers) one();
  };
  followed.set(signal, { followers, tell });
  signal.addEventListener('abort', tell, { once: true });
}

function unfollow(signal: AbortSignal, follower: () => void): void {
  const known = followed.get(signal);
  if (!known?.followers.delete(follower) || known.followers.size > 0) return;
  signal.removeEventListener('abort', known.tell);
  followed.delete(signal);
}

/** Resolves as `work` does, or rejects with the signal's reason as soon as it aborts; `work` itself goes on. */
export function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  if (signal.aborted) {
    work.catch(() => {});
    return Promise.reject(signal.reason);
  }
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Waits `ms` milliseconds, or rejects with the signal's reason as soon as it aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}
