import type { JsonObject } from '../json.js';
import type { Address } from '../records/address.js';
import type { StoredRecord } from '../records/registry.js';

/** A decision request (spec 2.2, AuthZEN 1.0), checked and with the aliases resolved. */
export interface DecisionRequest {
  subject: { type: string; id: string; properties?: JsonObject; roles?: readonly string[] };
  /** At least one of `id` and `name` is there; `name` wins. */
  resource: { type: string; id?: string; name?: string; properties?: JsonObject };
  action: { name: string; properties?: JsonObject };
  context?: JsonObject;
}

export type AccessPath = 'direct' | 'role' | 'group' | 'none';

/**
 * A decision (spec 2.3). The policy is the deciding one, of an allow or of a deny; absent when none applied. Its members
 * may be made when they are read: read what is needed before the tenant changes, and copy it by name.
 */
export interface Decision {
  decision: boolean;
  reason: string;
  access_path: AccessPath;
  policy_id?: string;
  policy?: Address;
  /** The id of the record that the request's resource was found as, for the decision log. */
  resource_id?: string;
}

/** One policy that came into question, and why it did or did not apply. */
export interface Candidate {
  policy: Address;
  policy_id: string;
  effect: 'ALLOW' | 'DENY';
  priority: number;
  access_path: AccessPath;
  /** How the principal was reached: addresses from the subject to whom the policy is assigned. */
  through: Address[];
  outcome: 'applies' | 'does_not_apply' | 'failed';
  why: string;
}

export type Explanation = Decision & { candidates: Candidate[] };

/** What the engine needs of a record: what a bundle carries. */
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
  /** The id of the record that the request's resource is found as, where a decision came to none. Never throws. */
  resourceId(request: DecisionRequest): string | undefined;
}
