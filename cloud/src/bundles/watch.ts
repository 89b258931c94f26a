/** Stands for every tenant, including future ones, in place of a tenant's id. No id is empty. */
export const EVERY_TENANT = '';

/** For how long those who wait are woken and answered in one turn of the event loop: what others ask comes in between. */
const TURN_MS = 8;

interface Waiter {
  tenant: string;
  urgent: boolean;
  wake(): void;
}

export interface Waiting {
  /** The longest that it waits, in milliseconds. */
  ms: number;
  /** Registers a callback for when the caller goes. */
  onGone: (callback: () => void) => void;
  /** Whether it is woken at once, and not in the turns that thousands of agents take. */
  urgent?: boolean;
}

/**
 * Lets requests wait for commits. A waiting request costs a timer and an entry here, whatever the size of its tenant.
 */
export class Watch {
  readonly #waiters = new Set<Waiter>();
  /** Those who have something to learn, in the order in which they began to wait. */
  readonly #due = new Set<Waiter>();
  /** Those who ask anew meanwhile. */
  readonly #asking = new Set<() => void>();
  #waking = false;
  #closed = false;

  /** The number of waiting requests. */
  get size(): number {
    return this.#waiters.size;
  }

  /** The ids of the tenants for whose changes somebody waits, `EVERY_TENANT` among them. */
  tenants(): ReadonlySet<string> {
    const tenants = new Set<string>();
    for (const { tenant } of this.#waiters) tenants.add(tenant);
    return tenants;
  }

  /**
   * Tells that something has changed in this tenant. Who is not urgent is woken in later turns of the event loop, so that
   * whoever made the change is answered before.
   */
  notify(tenant: string): void {
    for (const waiter of this.#waiters) {
      if (waiter.tenant !== tenant && waiter.tenant !== EVERY_TENANT && tenant !== EVERY_TENANT) continue;
      if (waiter.urgent) waiter.wake();
      else this.#due.add(waiter);
    }
    if (this.#due.size === 0 || this.#waking) return;
    this.#waking = true;
    setImmediate(() => this.#wakeSome());
  }

  /** Resolves at the next change, after the given time, when the caller has gone, or once this is closed. */
  next(tenant: string, { ms, onGone, urgent = false }: Waiting): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter: Waiter = {
        tenant,
        urgent,
        wake: () => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          this.#due.delete(waiter);
          resolve();
        },
      };
      const timer = setTimeout(waiter.wake, ms);
      this.#waiters.add(waiter);
      onGone(waiter.wake);
    });
  }

  /**
   * For who asks and may have to wait: resolves once nobody is left to be woken. A fleet asks anew as soon as it is answered, and
   * who has something to learn goes first.
   */
  turn(): Promise<void> {
    if (!this.#waking || this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#asking.add(resolve);
    });
  }

  /** Releases everybody who waits; from now on nobody waits any more. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiters) waiter.wake();
    for (const goOn of this.#asking) goOn();
    this.#asking.clear();
  }

  async #wakeSome(): Promise<void> {
    const end = performance.now() + TURN_MS;
    for (const goOn of this.#next()) {
      goOn();
      // Here those who were woken are answered, which is what takes the time.
      await undefined;
      if (performance.now() >= end) break;
    }
    if (this.#due.size + this.#asking.size > 0) setImmediate(() => this.#wakeSome());
    else this.#waking = false;
  }

  /** Yields what lets those go on who wait for it, each once: first those who have something to learn. */
  *#next(): Generator<() => void, void> {
    for (const { wake } of this.#due) yield wake;
    for (const goOn of this.#asking) {
      this.#asking.delete(goOn);
      yield goOn;
    }
  }
}
