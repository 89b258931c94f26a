import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { TenantRow } from '../store/store.js';
import type { Tenants } from './tenants.js';

/** The most tenants that are read at a time: while the database reads for one, another is compiled. */
const AT_ONCE = 2;

/** After so long, the process is ready without those that are not read yet. */
const WAIT_MS = 60_000;

/** The database gets so long before it is asked again for what it could not read. */
const PAUSE_MS = 1000;

/** Reads the tenants at a start that were used lately, those used last first. */
export class StartLoading {
  /** The names of those that are still to be read, by their ids. */
  readonly #left: Map<string, string>;
  readonly #endsAt: number;
  readonly #stopping = new AbortController();

  /** `recent` are those to be read, and `clock` returns monotonic milliseconds. */
  constructor(
    private readonly tenants: Pick<Tenants, 'load' | 'rows' | 'isBroken'>,
    recent: readonly TenantRow[],
    private readonly clock: () => number,
    private readonly log: Pick<Logger, 'warn'>,
    private readonly pause = (signal: AbortSignal): Promise<void> =>
      sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined),
  ) {
    this.#left = new Map(recent.map(({ id, name }) => [id, name]));
    this.#endsAt = clock() + WAIT_MS;
  }

  /** The names of the tenants without which the process is not ready yet. */
  get awaited(): string[] {
    return this.clock() < this.#endsAt ? [...this.#left.values()] : [];
  }

  /**
   * Ends once each is read, gone or found not to be as it was committed, once nothing waits for the rest, or when this is
   * stopped. One that cannot be read keeps no other waiting.
   */
  async run(): Promise<void> {
    await this.#tryAll();
    while (this.awaited.length > 0 && !this.#isStopped) {
      await this.pause(this.#stopping.signal);
      await this.#tryAll();
    }
  }

  /** Begins to read no other tenant. */
  stop(): void {
    this.#stopping.abort();
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #tryAll(): Promise<void> {
    const failures: unknown[] = [];
    const ids = [...this.#left.keys()].values();
    const work = async () => {
      for (const id of ids) {
        if (this.#isStopped) return;
        try {
          await this.tenants.load(id);
        } catch (error) {
          if (this.tenants.rows(id).length > 0 && !this.tenants.isBroken(id)) {
            failures.push(error);
            continue;
          }
        }
        this.#left.delete(id);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (failures.length === 0 || this.#isStopped) return;
    this.log.warn({ err: failures[0], tenants: failures.length }, 'tenants that were used lately could not be read');
  }
}
