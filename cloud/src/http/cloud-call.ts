import type { Budget, Engine } from '@authz-service/core/access/api/engine';
import { ProblemError } from '@authz-service/core/problem';
import type { EndpointCall, Evaluation, TenantView } from '@authz-service/pdp/endpoints/endpoint';
import { assertYoung, budgetName } from '@authz-service/pdp/revision/max-age';
import { isExpected } from '@authz-service/pdp/transport/problem-document';
import type { Cloud } from '../cloud.js';
import type { ReadableTenant } from '../tenants/tenant.js';
import { ASK_ANOTHER } from './refuse-old.js';
import type { Call } from './route.js';

/** A request to the cloud's decision point: the credential's tenant answers it, and each decision is counted. */
export class CloudCall implements EndpointCall {
  readonly now: number;
  /** The revision at which the answer was found; absent if nothing was decided or searched. */
  revision: string | undefined;
  /** The age of that when the answer was begun; undefined of a past moment. */
  #ageMs: number | undefined;

  constructor(
    private readonly cloud: Cloud,
    private readonly call: Pick<Call, 'now' | 'log'>,
    /** Absent if no credential is required. */
    private readonly tenant?: ReadableTenant,
    /** The clock of a past moment; absent of the present. */
    private readonly at?: number,
  ) {
    this.now = at ?? call.now;
  }

  engine(): Engine {
    const tenant = this.#tenant();
    this.#took(tenant);
    return tenant.engine;
  }

  run<T>(work: (view: TenantView) => Generator<undefined, T>): Promise<T> {
    return this.#tenant().reading((view) => {
      this.#took(view);
      return work(view);
    });
  }

  ageWithin(budget: Budget): number | undefined {
    if (this.#ageMs === undefined) return undefined;
    try {
      assertYoung(this.#ageMs, budget.maxAgeMs, { by: budgetName(budget), until: ASK_ANOTHER });
    } catch (error) {
      this.cloud.metrics.refusedOld.inc();
      throw error;
    }
    return this.#ageMs;
  }

  /**
   * A request that fails as a whole is logged like every failed request; the failed items of a batch are logged here.
   */
  evaluated({ outcome, index }: Evaluation): void {
    if (!(outcome instanceof ProblemError)) {
      const { decision, access_path } = outcome;
      this.cloud.metrics.decisions.inc({ allowed: String(decision), access_path });
    } else if (index !== undefined && !isExpected(outcome)) {
      this.call.log.error({ err: outcome, evaluation: index }, outcome.detail);
    }
  }

  publicUrl(): string {
    return this.cloud.publicUrl();
  }

  #took({ id, revision }: Pick<ReadableTenant, 'id' | 'revision'>): void {
    this.revision = revision;
    this.#ageMs = this.at === undefined ? this.cloud.ageMs(id) : undefined;
  }

  #tenant(): ReadableTenant {
    if (this.tenant === undefined) throw new Error('an endpoint without a credential asked for a tenant');
    return this.tenant;
  }
}
