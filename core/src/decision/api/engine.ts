import type { StoredRecord } from '../../records/registry.js';
import type { Decision, Explanation } from './decision.js';
import type { DecisionRequest } from './request.js';

/** The fields of a record that the engine needs, which are those in a bundle. */
export type EngineRecord = Pick<StoredRecord, 'kind' | 'id' | 'fields'>;

/** One address's record before and after a change: at least one of them is there. */
export interface RecordChange {
  before?: EngineRecord | undefined;
  after?: EngineRecord | undefined;
}

/**
 * A compiled tenant. `now` is milliseconds since the epoch. Both throw `ProblemError`: `ambiguous_name` for
 * a bare type or role that fits two, `evaluation_failed` where a condition's failure leaves the answer open.
 */
export interface Engine {
  decide(request: DecisionRequest, now: number): Decision;
  explain(request: DecisionRequest, now: number): Explanation;
  /** The id of the record that the request's resource is found as, where no decision was made. Never throws. */
  resourceId(request: DecisionRequest): string | undefined;
}
