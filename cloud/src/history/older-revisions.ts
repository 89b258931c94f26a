import { ProblemError } from '@authz-service/core/problem';
import { revisionText } from '@authz-service/core/state/revision';
import type { Store } from '../store/store.js';
import type { Tenant } from '../tenants/tenant.js';

/** The revisions of each tenant that are remembered. */
const KNOWN_MAX = 1_000;
/** The look-ups of one tenant that may run at once, and that may wait for these. */
const RUNNING_MAX = 4;
const WAITING_MAX = 1_000;

interface KnownRevisions {
  /** By number: the revision in full, undefined if there is none. */
  revisions: Map<number, Promise<string | undefined>>;
  running: number;
  /** Those that wait their turn, the earliest first. */
  waiting: (() => void)[];
}

/**
 * The revisions before the present one that callers name, looked up once each: a decision must not need the database
 * each time, and no tenant may keep the database busy with its questions.
 */
export class OlderRevisions {
  readonly #known = new WeakMap<Tenant, KnownRevisions>();

  constructor(private readonly store: Pick<Store, 'findRevision'>) {}

  /**
   * The revision in full (`NUMBER.DIGEST`) with a number that the tenant has passed; undefined if there is none. Throws
   * `too_many_requests`, and what the store throws.
   */
  async find(tenant: Tenant, number: number): Promise<string | undefined> {
    let known = this.#known.get(tenant);
    if (known === undefined) {
      known = { revisions: new Map(), running: 0, waiting: [] };
      this.#known.set(tenant, known);
    }
    const { revisions } = known;
    const found = revisions.get(number) ?? this.#lookUp(known, tenant.id, number);
    // What is asked for again stays longest.
    revisions.delete(number);
    revisions.set(number, found);
    const [oldest] = revisions.keys();
    if (revisions.size > KNOWN_MAX && oldest !== undefined) revisions.delete(oldest);
    try {
      return await found;
    } catch (error) {
      if (revisions.get(number) === found) revisions.delete(number);
      throw error;
    }
  }

  async #lookUp(known: KnownRevisions, tenant: string, number: number): Promise<string | undefined> {
    if (known.waiting.length >= WAITING_MAX) {
      throw new ProblemError(
        'too_many_requests',
        `${known.waiting.length} requests of the tenant wait to have old revisions looked up already: ask again in a second.`,
        [],
        { retryAfterSeconds: 1 },
      );
    }
    // Who ends passes its turn on.
    if (known.running >= RUNNING_MAX) await new Promise<void>((resolve) => known.waiting.push(resolve));
    else known.running++;
    try {
      const found = await this.store.findRevision(tenant, { number });
      return found && revisionText(found.revision, found.digest);
    } finally {
      const next = known.waiting.shift();
      if (next) next();
      else known.running--;
    }
  }
}
