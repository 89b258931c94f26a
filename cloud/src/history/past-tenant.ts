import { compileInSteps } from '@authz-service/core/decision/compile-engine';
import type { CompiledEngine } from '@authz-service/core/decision/compiled-engine';
import { reading } from '@authz-service/core/read-write-lock';
import type { Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { TenantSearch } from '@authz-service/core/search/tenant-search';
import type { TenantState } from '@authz-service/core/state/tenant-state';
import { SortedRecords } from '../tenants/sorted-records.js';
import type { ReadableTenant, Tenant, TenantView } from '../tenants/tenant.js';

/** A tenant as it was at a past revision. Its decisions and searches count towards the budget of the tenant. */
export class PastTenant implements ReadableTenant {
  readonly id: string;
  readonly name: string;
  readonly #search: TenantSearch;
  readonly #sorted = new SortedRecords();

  private constructor(
    private readonly tenant: Tenant,
    readonly revision: string,
    readonly state: TenantState,
    readonly engine: CompiledEngine,
    /** How many of its records have lost values since. */
    readonly erased: number,
  ) {
    this.id = tenant.id;
    this.name = tenant.name;
    this.#search = new TenantSearch(engine, () => tenant.work.shouldEnd);
  }

  /** Compiles the records of a past revision, step by step. */
  static *inSteps(
    tenant: Tenant,
    { revision, state, erased }: Pick<PastTenant, 'revision' | 'state' | 'erased'>,
  ): Generator<undefined, PastTenant> {
    return new PastTenant(tenant, revision, state, yield* compileInSteps(state.records()), erased);
  }

  inTurn<T>(work: () => T): Promise<Awaited<T>> {
    return this.tenant.work.once(() => this.engine, work);
  }

  reading<T>(work: (view: TenantView) => Generator<undefined, T>): Promise<T> {
    const { id, revision, engine } = this;
    const view = { id, revision, engine, search: this.#search };
    return reading(
      () => view,
      ({ engine: { lock } }) => lock,
      (seen) => this.tenant.work.inSteps(() => engine, work(seen)),
    );
  }

  sorted(kind: Kind): readonly StoredRecord[] {
    return this.#sorted.of(kind, (of) => this.state.records(of));
  }
}
