import type { EngineRecord, RecordChange } from '@authz-service/core/access/api/engine';
import { compileEngine, compileInSteps } from '@authz-service/core/access/engine/compile-engine';
import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import type { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';

/** Larger changes are not made in one turn, because they would delay all requests by more than some milliseconds. */
const STEPS_MAX = 5_000;

/** The compiled engine that answers a tenant's decisions and searches: compiled as the tenant is read, and kept up to date. */
export class TenantEngine {
  #engine: CompiledEngine | undefined;
  #search: TenantSearch | undefined;

  /** `shouldEnd` says whether searches should end their page with what they have. */
  constructor(
    private readonly tenant: string,
    private readonly slicing: TimeSlicing,
    private readonly shouldEnd: () => boolean,
  ) {}

  /** `records` are those of the tenant's present revision. */
  at(records: () => Iterable<EngineRecord>): CompiledEngine {
    this.#engine ??= compileEngine(records());
    return this.#engine;
  }

  searchOf(engine: CompiledEngine): TenantSearch {
    this.#search ??= new TenantSearch(engine, this.shouldEnd);
    return this.#search;
  }

  /**
   * Applies changes, and calls `takeOver` in the same turn in which decisions begin to reflect them. Small changes are
   * made in place, once no search and no batch is running any more; for larger ones it is compiled again from `after`,
   * in slices. If it throws, nothing has been taken over, and the next decision compiles.
   */
  async follow(
    changes: readonly RecordChange[],
    after: () => Iterable<EngineRecord>,
    takeOver: () => void,
  ): Promise<void> {
    const engine = this.#engine;
    if (engine === undefined || changes.length === 0) return takeOver();
    if (engine.weigh(changes) > STEPS_MAX) {
      const next = await this.slicing.run(compileInSteps(after()), this.tenant);
      this.forget();
      this.#engine = next;
      return takeOver();
    }
    await engine.lock.write(() => {
      this.forget();
      engine.apply(changes);
      takeOver();
      this.#engine = engine;
    });
  }

  /** Takes over the engine of the present revision. */
  hold(engine: CompiledEngine | undefined): void {
    this.#engine = engine;
    this.#search = undefined;
  }

  forget(): void {
    this.hold(undefined);
  }
}
