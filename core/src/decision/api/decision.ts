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
  /** Of a denial: the attribute without which it was made, and with which the answer may be another one. */
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
}

export type Explanation = Decision & {
  candidates: ExplainedCandidate[];
  /** The roles that the request names and that requests may not name; absent where there are none. */
  uncounted_roles?: Address[];
};
