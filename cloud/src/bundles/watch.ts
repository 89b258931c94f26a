/** Stands for every tenant, including future ones, in place of a tenant's id. No id is empty. */
export const EVERY_TENANT = '';

interface Waiter {
  tenant: string;
  wake(): void;
}

/**
 * Lets requests wait for commits. A waiting request costs a timer and an entry here, whatever the size of its tenant.
 */
export class Watch {
  readonly #waiters = new Set<Waiter>();
  #closed = false;

  /** The number of waiting requests. */
  get size(): number {
    return this.#waiters.size;
  }

  /** Tells that something has changed in this tenant. */
  notify(tenant: string): void {
    for (const waiter of this.#waiters) {
      if (waiter.tenant === tenant || waiter.tenant === EVERY_TENANT || tenant === EVERY_TENANT) waiter.wake();
    }
  }

  /**
   * Resolves at the next change, after `ms`, when the caller has gone, or once this is closed, whichever is first.
   * `onGone` registers a callback for when the caller goes.
   */
  next(tenant: string, ms: number, onGone: (callback: () => void) => void): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter: Waiter = {
        tenant,
        wake: () => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve();
        },
      };
      const timer = setTimeout(waiter.wake, ms);
      this.#waiters.add(waiter);
      onGone(waiter.wake);
    });
  }

  /** Releases everybody who waits; from now on nobody waits any more. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiters) waiter.wake();
  }
}
