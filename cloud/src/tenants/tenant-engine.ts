import type { EngineRecord, RecordChange } from '@authz-service/core/decision/api/engine';
import { compileEngine, compileInSteps } from '@authz-service/core/decision/compile-engine';
import type { CompiledEngine } from '@authz-service/core/decision/compiled-engine';
import { TenantSearch } from '@authz-service/core/search/tenant-search';
import type { TimeSlicing } from '@authz-service/core/time-slicing';

/** Changes of more steps are not made in one turn, for that would hold up all requests for longer than some milliseconds. */
const STEPS_MAX = 5_000;

/** What a tenant's decisions and searches are made from: compiled when first asked for, and kept up with the records. */
export class TenantEngine {
  #engine: CompiledEngine | undefined;
  #search: TenantSearch | undefined;

  /** `shouldEnd` says whether searches should end their page with what they have. */
  constructor(
    private readonly tenant: string,
    private readonly slicing: TimeSlicing,
    private readonly shouldEnd: () => boolean,
  ) {}

  /** `records` are those of the revision at which the tenant stands. */
  at(records: () => Iterable<EngineRecord>): CompiledEngine {
    this.#engine ??= compileEngine(records());
    return this.#engine;
  }

  searchOf(engine: CompiledEngine): TenantSearch {
    this.#search ??= new TenantSearch(engine, this.shouldEnd);
    return this.#search;
  }

  /**
   * Follows changes, and calls `takeOver` in the very turn in which the next decision is made by what they lead to.
   * Small changes are made in place, once no search and no batch is under way any more; for others it is compiled
   * afresh from `after`, in slices. Where it throws, nothing has been taken over, and the next decision compiles.
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

  forget(): void {
    this.#engine = undefined;
    this.#search = undefined;
  }
}
