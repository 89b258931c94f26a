import type { Address, Path } from '../../records/address.js';
import type { FindingResources } from '../impact/api/finding.js';

/** A subject with a record. */
export interface RecordedSubject {
  readonly kind: 'recorded';
  readonly path: Path;
  readonly name?: string;
}

/**
 * Who a row is about: all who belong directly to a group, a role or everyone (`group/finance`, `everyone/user`) and have the access
 * by it; a subject that has it by itself; all without a record of a type; or whoever a request names a role for.
 */
export type RowSubject =
  | { readonly kind: 'members'; readonly of: Address; readonly count: number }
  | RecordedSubject
  | { readonly kind: 'unrecorded'; readonly type: string }
  /** With `types` only subjects of these, with `types_except` of all but these; never with both. */
  | {
      readonly kind: 'named_role';
      readonly role: Path;
      readonly types?: readonly string[];
      readonly types_except?: readonly string[];
    };

/** How a subject comes to a policy that allows it something. */
export interface GrantPath {
  /** Addresses: groups and roles in the order in which they lead there; empty where the policy is the subject's own. */
  readonly through: readonly Address[];
  readonly policy: Address;
  /** The path of the resource on which the role is held, unless it is held everywhere. */
  readonly place?: Path;
  /** RFC 3339: since when all links of the way are there; absent of members, of whom each has a time of their own. */
  readonly since?: string;
}

/** From when until when, and on which condition, something is allowed. */
export interface AccessLimits {
  /** The condition that a request must satisfy besides, as Service CEL; null if nothing remains open. */
  readonly condition: string | null;
  /** True where it cannot be said whether it is allowed. */
  readonly unclear?: true;
  /** RFC 3339; null from now on. */
  readonly from: string | null;
  /** RFC 3339; null without end. */
  readonly until: string | null;
}

/** Actions on resources of one type. */
export interface AllowedActions {
  /** Sorted; `*` stands for every action but those of `actions_except`. */
  readonly actions: readonly string[];
  readonly actions_except?: readonly string[];
  /** All of one type. */
  readonly resources: readonly FindingResources[];
}

/** The actions that subjects may do to resources of one type, under one condition. */
export interface ReviewedAccess extends AllowedActions, AccessLimits {
  /** Hangs on all that it says, and on each of its members. */
  readonly id: string;
  readonly subject: RowSubject;
}

export interface ReviewRow extends ReviewedAccess {
  /** How it comes about, shown for the actions on one of the resources. */
  readonly ways: readonly GrantPath[];
}
