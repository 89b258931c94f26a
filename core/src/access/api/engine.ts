import type { Address } from '../../records/address.js';
import type { StoredRecord } from '../../records/registry.js';
import type { DecisionRequest } from '../../request.js';
import type { Decision, Explanation } from './decision.js';

/** The fields of a record that the engine needs, which are those in a bundle. */
export type EngineRecord = Pick<StoredRecord, 'kind' | 'id' | 'fields'>;

/** One address's record before and after a change: at least one of them is there. */
export interface RecordChange {
  before?: EngineRecord | undefined;
  after?: EngineRecord | undefined;
}

/** How old the records may be that decide about a resource type. */
export interface Budget {
  /** The address of the type. */
  of: Address;
  maxAgeMs: number;
}

/**
 * A compiled tenant. `now` is milliseconds since the epoch. Both throw `ProblemError`: `ambiguous_name` for
 * a bare type or role that fits two, `unknown_application` for a resource of an application that a slice is not for, `evaluation_failed` where a condition's failure leaves the answer open.
 */
export interface Engine {
  decide(request: DecisionRequest, now: number): Decision;
  explain(request: DecisionRequest, now: number): Explanation;
  /** The budget of the type of this name: absent if it has none, or if there is no such type. Never throws. */
  budgetOf(type: string): Budget | undefined;
  /** The paths of the values in a request that no log may hold, like `subject.properties.email`. Never throws. */
  sensitiveIn(request: DecisionRequest): string[];
  /** The steps of all decisions so far, as conditions count them. */
  readonly steps: number;
  /** The id of the record that the request's resource is found as, where no decision was made. Never throws. */
  resourceId(request: DecisionRequest): string | undefined;
}
