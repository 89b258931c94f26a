import { setTimeout as pause } from 'node:timers/promises';
import { ProblemError } from '@authz-service/core/problem';
import type { Store } from '../store/store.js';
import { AGENTS_MAX, type Fleet } from './fleet.js';

/**
 * Other processes write what their agents report to the database, where it is looked for so often: more often at first, since most
 * agents report within a second.
 */
const LOOK_MS = { atFirst: 100, later: 250 };
const FIRST_MS = 2000;
const WAITING_MAX = { perTenant: 20, total: 200 };

/** Requests that wait until the agents of a tenant enforce a revision: so many at most of each tenant and of all. */
export class EnforcementWaits {
  readonly #waiting = new Map<string, number>();
  #total = 0;

  constructor(
    private readonly store: Pick<Store, 'agentsBehind' | 'countAgents'>,
    private readonly fleet: Pick<Fleet, 'written'>,
    private readonly now: () => number,
    private readonly max = WAITING_MAX,
  ) {}

  /**
   * Resolves once no agent of the tenant that may decide serves less than the revision, and at the latest after so many
   * milliseconds. Throws `too_many_requests`, and the signal's reason once that aborts. It ends early once `goesOn` says so.
   */
  async reach(
    tenant: string,
    { revision, ms, signal, goesOn }: { revision: number; ms: number; signal: AbortSignal; goesOn: () => boolean },
  ): Promise<void> {
    const waiting = this.#waiting.get(tenant) ?? 0;
    if (waiting >= this.max.perTenant || this.#total >= this.max.total)
      throw tooMany(
        waiting >= this.max.perTenant ? `${waiting} requests of this tenant` : `${this.#total} requests of all tenants`,
      );
    this.#waiting.set(tenant, waiting + 1);
    this.#total++;
    try {
      const begun = performance.now();
      for (let left = ms; left > 0 && goesOn(); left = begun + ms - performance.now()) {
        await this.fleet.written();
        if ((await this.store.agentsBehind(tenant, { revision, now: this.now() })) === 0) return;
        const lookMs = performance.now() - begun < FIRST_MS ? LOOK_MS.atFirst : LOOK_MS.later;
        await pause(Math.min(lookMs, left), undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    } finally {
      this.#total--;
      const others = (this.#waiting.get(tenant) ?? 1) - 1;
      if (others === 0) this.#waiting.delete(tenant);
      else this.#waiting.set(tenant, others);
    }
  }

  /** Whether agents may be missing in the list of a tenant that has so many, because there were too many. */
  async isFull(agents: number): Promise<boolean> {
    return agents >= AGENTS_MAX.perTenant || (await this.store.countAgents()) >= AGENTS_MAX.total;
  }
}

function tooMany(those: string): ProblemError {
  return new ProblemError(
    'too_many_requests',
    `${those} already wait here until a revision is enforced, and no more may: ask again in a second, or without waiting.`,
    [],
    { retryAfterSeconds: 1 },
  );
}
