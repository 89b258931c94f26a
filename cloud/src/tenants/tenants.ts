import { ProblemError } from '@authz-service/core/problem';
import { Watch } from '../bundles/watch.js';
import { SerialQueue } from '../serial-queue.js';
import { ChangedStoreError, type Store, type TenantRow } from '../store/store.js';
import { Tenant, type WorkSharing } from './tenant.js';

/** The refusal of work whose tenant has been removed since its credential was verified. */
export const gone = () => new ProblemError('unauthorized', 'The credential was refused: its tenant no longer exists.');

function notAsCommitted(changed: readonly string[]): ProblemError {
  return new ProblemError(
    'invalid_config',
    `The database was changed from outside: ${changed.join('; ')}. ` +
      'Undo that change, or restore a backup with "service cloud restore".',
  );
}

/** All tenants by id and name, in memory. */
export class Tenants {
  readonly #rows = new Map<string, TenantRow>();
  readonly #ids = new Map<string, string>();
  readonly #loaded = new Map<string, Promise<Tenant>>();
  readonly #ready = new Map<string, Tenant>();
  /** Called for every commit, and for tenants that come and go. */
  readonly watch = new Watch();
  readonly #queue = new SerialQueue();
  #closed = false;
  #committedAt = 0;
  #comings = 0;

  private constructor(
    private readonly store: Store,
    private readonly sharing: WorkSharing,
  ) {}

  /**
   * `sharing` says how they share the process. Throws `invalid_config`, naming each tenant that is not as it was
   * committed.
   */
  static async open(store: Store, sharing: WorkSharing): Promise<Tenants> {
    const tenants = new Tenants(store, sharing);
    const changed = (await store.lostTenants()).map((name) => `the tenant "${name}" is gone`);
    for (const row of await store.tenants()) {
      tenants.add(row);
      await tenants.get(row.id).catch((error: unknown) => {
        if (!(error instanceof ChangedStoreError)) throw error;
        changed.push(error.message);
      });
    }
    if (changed.length > 0) throw notAsCommitted(changed);
    return tenants;
  }

  /** Rises whenever a tenant comes or goes. */
  get comings(): number {
    return this.#comings;
  }

  /** The tenants whose records are in memory. */
  loaded(): Iterable<Tenant> {
    return this.#ready.values();
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

  /** The tenant with this id, which a verified credential or a row of `list` names. */
  get(id: string): Promise<Tenant> {
    const loaded = this.#loaded.get(id);
    if (loaded) return loaded;
    const row = this.#rows.get(id);
    if (row === undefined) return Promise.reject(gone());
    const loading = Tenant.load(row, this.store, this.sharing, (tenant) => {
      this.#noteTime(tenant);
      this.watch.notify(id);
    });
    loading.then(
      (tenant) => {
        if (this.#loaded.get(id) === loading) this.#ready.set(id, tenant);
        this.#noteTime(tenant);
      },
      () => {},
    );
    this.#loaded.set(id, loading);
    // A failed load must not be kept: the next use tries again.
    loading.catch(() => this.#loaded.delete(id));
    return loading;
  }

  /** Runs work that creates or removes tenants, one at a time. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(work);
  }

  add(row: TenantRow): void {
    this.#comings++;
    this.#rows.set(row.id, row);
    this.#ids.set(row.name, row.id);
    this.watch.notify(row.id);
  }

  remove(row: TenantRow): void {
    this.#comings++;
    this.#rows.delete(row.id);
    this.#ids.delete(row.name);
    this.#loaded.delete(row.id);
    this.#ready.delete(row.id);
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
