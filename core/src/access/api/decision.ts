import type { Address } from '../../records/address.js';

/** The kind of access path that led to the deciding policy; `none` where no policy applied. */
export type AccessPathKind = 'direct' | 'role' | 'group' | 'none';

/**
 * A decision (docs/semantics.md section 6). The policy is the deciding one, ALLOW or DENY; absent if none applied. Its
 * members may be computed when they are read: read what is needed before the tenant changes, and copy it by name.
 */
export interface Decision {
  decision: boolean;
  reason: string;
  access_path: AccessPathKind;
  policy_id?: string;
  policy?: Address;
  /** The id of the record that the request's resource was found as, for the decision log. */
  resource_id?: string;
  /** The attribute without which a request was denied, and with which the answer may be another one. */
  absent?: string;
}

/** One candidate policy, and why it did or did not apply. */
export interface ExplainedCandidate {
  policy: Address;
  policy_id: string;
  effect: 'ALLOW' | 'DENY';
  priority: number;
  access_path: Exclude<AccessPathKind, 'none'>;
  /** How the principal was reached: addresses from the subject to the one that the policy is assigned to. */
  through: Address[];
  /** The resource on which the role is held that leads there, unless it is held everywhere. */
  place?: Address;
  outcome: 'applies' | 'does_not_apply' | 'failed';
  why: string;
  /** The clauses of its condition, modifiers and `unless`, if it has any and counts now. */
  clauses?: ExplainedClause[];
  /** How many more clauses it has: an explanation is bounded. */
  clauses_left_out?: number;
}

/** A part of a condition that is true or false by itself, or a modifier, and what came of it. */
export interface ExplainedClause {
  /** As it is written, `modifiers.NAME` or `unless.NAME`; a long one is cut off. */
  clause: string;
  outcome: 'true' | 'false' | 'absent' | 'failed';
  /** The attribute that is absent, or the cause of the failure. */
  why?: string;
  /** The values that it reads, as JSON texts by attribute; long ones are cut off. */
  values?: Record<string, string>;
}

export type Explanation = Decision & {
  candidates: ExplainedCandidate[];
  /** The roles that the request names and that requests may not name; absent where there are none. */
  uncounted_roles?: Address[];
  /** The attributes that the request sends and that count as they are recorded, like `resource.properties.amount`. */
  uncounted_properties?: string[];
};
