import { compileInSteps } from '@authz-service/core/access/engine/compile-engine';
import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import { reading } from '@authz-service/core/concurrency/read-write-lock';
import type { Kind } from '@authz-service/core/records/kinds';
import type { TenantState } from '@authz-service/core/state/tenant-state';
import { KeptByKind } from '../tenants/kept-by-kind.js';
import { SortedAddresses } from '../tenants/sorted-addresses.js';
import type { ReadableTenant, Tenant, TenantView } from '../tenants/tenant.js';

/** The engine and index that answer decisions and searches. */
interface Compiled {
  engine: CompiledEngine;
  search: TenantSearch;
}

/** A tenant as it was at a past revision. Its decisions and searches count towards the budget of the tenant. */
export class PastTenant implements ReadableTenant {
  readonly id: string;
  readonly name: string;
  readonly revision: string;
  readonly state: TenantState;
  /** How many of its records have lost values since. */
  readonly erased: number;
  readonly #addresses: KeptByKind<SortedAddresses>;
  /** Compiled for the first decision or search: comparisons, reviews and lists need the records alone. */
  #compiling: Promise<Compiled> | undefined;
  #compiled: Compiled | undefined;

  /** `run` does work of several turns. */
  constructor(
    private readonly tenant: Tenant,
    { revision, state, erased }: Pick<PastTenant, 'revision' | 'state' | 'erased'>,
    private readonly run: <T>(steps: Generator<undefined, T>) => Promise<T>,
  ) {
    this.id = tenant.id;
    this.name = tenant.name;
    this.revision = revision;
    this.state = state;
    this.erased = erased;
    this.#addresses = new KeptByKind(run, (kind) => state.records(kind), SortedAddresses.of);
  }

  get engine(): CompiledEngine {
    if (this.#compiled === undefined)
      throw new Error('decide in the past only in work that "inTurn" or "reading" runs');
    return this.#compiled.engine;
  }

  async inTurn<T>(work: () => T): Promise<Awaited<T>> {
    const { engine } = await this.#compile();
    return await this.tenant.work.once(() => engine, work);
  }

  async reading<T>(work: (view: TenantView) => Generator<undefined, T>): Promise<T> {
    const { id, revision } = this;
    const { engine, search } = await this.#compile();
    const view = { id, revision, engine, search };
    return await reading(
      () => view,
      ({ engine: { lock } }) => lock,
      (seen) => this.tenant.work.inSteps(() => engine, work(seen)),
    );
  }

  #compile(): Promise<Compiled> {
    this.#compiling ??= this.run(compileInSteps(this.state.records())).then((engine) => {
      this.#compiled = { engine, search: new TenantSearch(engine, () => this.tenant.work.shouldEnd) };
      return this.#compiled;
    });
    return this.#compiling;
  }

  addresses(kind: Kind): Promise<SortedAddresses> {
    return this.#addresses.current(kind);
  }
}
