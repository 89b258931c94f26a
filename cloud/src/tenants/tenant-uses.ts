import type { TenantUseStore } from '../store/tenant-use.js';

/** Which tenants were asked for something, and when. */
export class TenantUses {
  readonly #at = new Map<string, number>();
  readonly #unsaved = new Set<string>();

  /** `clock` returns monotonic milliseconds. */
  constructor(private readonly clock: () => number = () => performance.now()) {}

  note(tenant: string): void {
    this.#at.set(tenant, this.clock());
    this.#unsaved.add(tenant);
  }

  /** For how long nobody has asked for the tenant; of one that nobody has, from the first time that this is called on. */
  idleMs(tenant: string): number {
    const at = this.#at.get(tenant);
    if (at === undefined) this.#at.set(tenant, this.clock());
    return this.clock() - (at ?? this.clock());
  }

  forget(tenant: string): void {
    this.#at.delete(tenant);
    this.#unsaved.delete(tenant);
  }

  /** Writes down what was used since the last time. If that fails, the next time tries again. */
  async save(store: Pick<TenantUseStore, 'noteUse'>, now: number): Promise<void> {
    const used = [...this.#unsaved];
    if (used.length === 0) return;
    this.#unsaved.clear();
    try {
      await store.noteUse(used, new Date(now).toISOString());
    } catch (error) {
      for (const tenant of used) this.#unsaved.add(tenant);
      throw error;
    }
  }
}
