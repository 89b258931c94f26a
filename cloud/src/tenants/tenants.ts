import { ProblemError } from '@authz-service/core/problem';
import { EVERY_TENANT, Watch } from '../bundles/watch.js';
import { ReadingLine } from '../concurrency/reading-line.js';
import { SerialQueue } from '../concurrency/serial-queue.js';
import { ChangedStoreError, type Store, type TenantRow } from '../store/store.js';
import { Tenant, type WorkSharing } from './tenant.js';
import { TenantUses } from './tenant-uses.js';

/** The refusal of work whose tenant has been removed since its credential was verified. */
export const gone = () => new ProblemError('unauthorized', 'The credential was refused: its tenant no longer exists.');

function notAsCommitted(changed: readonly string[]): ProblemError {
  return new ProblemError(
    'invalid_config',
    `The database was changed from outside: ${changed.join('; ')}. ` +
      'Undo that change, or restore a backup with "servicectl cloud restore".',
  );
}

/** The refusal of whatever a tenant is asked for that is not as it was committed. The log says why. */
function notServed({ name }: TenantRow): ProblemError {
  return new ProblemError(
    'not_ready',
    `The records of the tenant "${name}" are not those that were committed, so that it is not served: ` +
      'the log of the service says what was found, and "servicectl cloud restore" brings a backup back.',
  );
}

const HOUR_MS = 60 * 60 * 1000;

/** A tenant that is broken is not read again before this: it may be large, and many may ask for it. */
const BROKEN_MS = 30_000;

interface Broken {
  reason: string;
  error: ProblemError;
  /** When it was found, by the clock. */
  at: number;
}

/** All tenants by id and name. Those that are used are in memory. */
export class Tenants {
  readonly #rows = new Map<string, TenantRow>();
  readonly #ids = new Map<string, string>();
  readonly #loaded = new Map<string, Promise<Tenant>>();
  readonly #ready = new Map<string, Tenant>();
  readonly #broken = new Map<string, Broken>();
  /** When each was last used before this process started, in milliseconds since the epoch. */
  readonly #usedBefore = new Map<string, number>();
  /** Those that the database could not read when they were last asked for, and why. */
  readonly #failing = new Map<string, unknown>();
  readonly #line: ReadingLine<Tenant>;
  /** Called for every commit, and for tenants that come and go. */
  readonly watch = new Watch();
  readonly uses: TenantUses;
  readonly #queue = new SerialQueue();
  #closed = false;
  #committedAt = 0;
  #listVersion = 0;

  private constructor(
    private readonly store: Store,
    private readonly sharing: WorkSharing,
    private readonly clock: () => number,
  ) {
    this.uses = new TenantUses(clock);
    this.#line = new ReadingLine(clock);
  }

  /**
   * Finds out which tenants there are; each is read when it is first asked for. `sharing` says how they share the process,
   * and `clock` returns monotonic milliseconds. Throws `invalid_config`, naming each tenant that is gone.
   */
  static async open(store: Store, sharing: WorkSharing, clock = () => performance.now()): Promise<Tenants> {
    const tenants = new Tenants(store, sharing, clock);
    const lost = await store.lostTenants();
    if (lost.length > 0) throw notAsCommitted(lost.map((name) => `the tenant "${name}" is gone`));
    for (const row of await store.tenants()) tenants.add(row);
    for (const { tenant, usedAt, committedAt } of await store.tenantUse()) {
      const committed = Date.parse(committedAt ?? '') || 0;
      tenants.#committedAt = Math.max(tenants.#committedAt, committed);
      tenants.#usedBefore.set(tenant, Math.max(committed, Date.parse(usedAt ?? '') || 0));
    }
    return tenants;
  }

  /** Reads every tenant. Throws `invalid_config`, naming each one that is not as it was committed. */
  async assertAsCommitted(): Promise<void> {
    const changed: string[] = [];
    for (const { id } of this.list()) {
      await this.load(id).catch((error: unknown) => {
        const { reason } = this.#broken.get(id) ?? {};
        if (reason === undefined) throw error;
        changed.push(reason);
      });
    }
    if (changed.length > 0) throw notAsCommitted(changed);
  }

  /**
   * The tenants that were used within the last hour in which any was, before this process started: the latest first. Times
   * after `now`, in milliseconds since the epoch, are of a clock that was ahead: they count as the latest of the others.
   */
  recent(now: number): TenantRow[] {
    let newest = 0;
    for (const used of this.#usedBefore.values()) if (used <= now && used > newest) newest = used;
    const at = ({ id }: TenantRow) => Math.min(this.#usedBefore.get(id) ?? 0, newest);
    return this.list()
      .filter((row) => at(row) >= newest - HOUR_MS)
      .sort((left, right) => at(right) - at(left));
  }

  /** Those that were found not to be as they were committed, by name. */
  broken(): TenantRow[] {
    return this.list().filter(({ id }) => this.#broken.has(id));
  }

  /** Reads those again if no tenant can be served: nobody sends requests to such a process, which would do it. */
  async readBroken(): Promise<void> {
    const broken = this.broken();
    if (broken.length < this.size) return;
    for (const { id } of broken) {
      if (this.#closed) return;
      await this.load(id).catch(() => undefined);
    }
  }

  isBroken(id: string): boolean {
    return this.#broken.has(id);
  }

  /** The version of the list of tenants: it rises whenever one comes or goes. */
  get listVersion(): number {
    return this.#listVersion;
  }

  /** The tenants whose records are in memory. */
  loaded(): Iterable<Tenant> {
    return this.#ready.values();
  }

  /** The tenant with this id if its records are in memory; this is no use of it. */
  held(id: string): Tenant | undefined {
    return this.#ready.get(id);
  }

  get size(): number {
    return this.#rows.size;
  }

  /** The latest recorded time of any tenant's commit, in milliseconds since the epoch. */
  get committedAt(): number {
    return this.#committedAt;
  }

  /**
   * For work whose turn has come: throws `unauthorized` if the tenant has been removed since its credential was
   * verified, and `not_ready` if nobody waits for the work any more.
   */
  assertOpen(id: string): void {
    if (!this.#rows.has(id)) throw gone();
    if (this.#closed) throw new ProblemError('not_ready', 'The service has stopped: ask again once it is back.');
  }

  /** By name. */
  list(): TenantRow[] {
    return [...this.#rows.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  /** The tenant with this id, if there is one. */
  rows(id: string): TenantRow[] {
    const row = this.#rows.get(id);
    return row === undefined ? [] : [row];
  }

  named(name: string): TenantRow | undefined {
    const id = this.#ids.get(name);
    return id === undefined ? undefined : this.#rows.get(id);
  }

  /**
   * The tenant with this id, which a verified credential or a row of `list` names, for whoever uses it. Throws
   * `not_ready` if it is not as it was committed, or is not read soon, which names the time to ask again.
   */
  get(id: string): Promise<Tenant> {
    if (this.#rows.has(id)) this.uses.note(id);
    return this.load(id);
  }

  /**
   * Does what `get` does, but of a tenant that could not be read when that was last tried, throws at once what it threw then. The
   * tenant is read again meanwhile, and who waits for changes is told when it is served.
   */
  getAtOnce(id: string): Promise<Tenant> {
    const fault = this.#broken.get(id)?.error ?? this.#failing.get(id);
    const tenant = this.get(id);
    if (fault === undefined) return tenant;
    tenant.catch(() => undefined);
    return Promise.reject(fault);
  }

  /** Does what `get` does without counting as a use. */
  load(id: string): Promise<Tenant> {
    const loaded = this.#loaded.get(id);
    if (loaded) return loaded;
    const row = this.#rows.get(id);
    if (row === undefined) return Promise.reject(gone());
    const broken = this.#broken.get(id);
    if (broken !== undefined && this.clock() - broken.at < BROKEN_MS) return Promise.reject(broken.error);
    return this.#line.run(id, () => {
      const loading = this.#read(row);
      loading.then(
        (tenant) => {
          if (this.#loaded.get(id) === loading) this.#ready.set(id, tenant);
          this.#noteTime(tenant);
          this.sharing.onLoad?.(tenant);
        },
        // A failed load must not be kept: a later use tries again.
        () => {
          if (this.#loaded.get(id) === loading) this.#loaded.delete(id);
        },
      );
      this.#loaded.set(id, loading);
      return loading;
    });
  }

  async #read(row: TenantRow): Promise<Tenant> {
    const { id } = row;
    this.assertOpen(id);
    const changed = (tenant: Tenant) => {
      this.#noteTime(tenant);
      this.watch.notify(id);
    };
    try {
      const tenant = await Tenant.load(row, this.store, this.sharing, changed, () => this.assertOpen(id));
      const [wasBroken, failed] = [this.#broken.delete(id), this.#failing.delete(id)];
      if (wasBroken || failed) {
        this.sharing.onMended?.(row);
        this.watch.notify(id);
      }
      return tenant;
    } catch (cause) {
      // It was removed, or the process stops.
      if (!this.#rows.has(id) || this.#closed) throw cause;
      if (!(cause instanceof ChangedStoreError)) {
        if (!this.#failing.has(id)) this.sharing.onFailed?.(row, cause);
        this.#failing.set(id, cause);
        throw cause;
      }
      const error = notServed(row);
      const before = this.#broken.get(id);
      this.#broken.set(id, { reason: cause.message, error, at: this.clock() });
      if (before?.reason !== cause.message) this.sharing.onBroken?.(row, cause);
      throw error;
    }
  }

  /**
   * Takes the tenants out of memory that nobody has asked for for so many milliseconds, unless somebody waits for a commit or
   * something works on them. The next use reads them again. Returns their ids.
   */
  unloadIdle(ms: number): string[] {
    const unloaded: string[] = [];
    const waited = this.watch.tenants();
    const isWaitedFor = (id: string) => waited.has(id) || waited.has(EVERY_TENANT);
    for (const [id, tenant] of this.#ready) {
      if (this.uses.idleMs(id) < ms || tenant.isBusy || isWaitedFor(id)) continue;
      this.#loaded.delete(id);
      this.#ready.delete(id);
      unloaded.push(id);
    }
    return unloaded;
  }

  /** Runs work that creates or removes tenants, one at a time. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(work);
  }

  add(row: TenantRow): void {
    this.#listVersion++;
    this.#rows.set(row.id, row);
    this.#ids.set(row.name, row.id);
    this.watch.notify(row.id);
  }

  remove(row: TenantRow): void {
    this.#listVersion++;
    this.#rows.delete(row.id);
    this.#ids.delete(row.name);
    this.#loaded.delete(row.id);
    this.#ready.delete(row.id);
    this.#broken.delete(row.id);
    this.#failing.delete(row.id);
    this.uses.forget(row.id);
    this.watch.notify(row.id);
  }

  #noteTime({ committedAt }: Tenant): void {
    this.#committedAt = Math.max(this.#committedAt, committedAt);
  }

  /** Starts no more work, and resolves when the tenants' running work is done. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue.run(async () => {});
    const loaded = await Promise.allSettled(this.#loaded.values());
    await Promise.all(
      loaded.map((result) => (result.status === 'fulfilled' ? result.value.exclusive(async () => {}) : undefined)),
    );
  }
}
