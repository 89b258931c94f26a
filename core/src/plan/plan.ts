import type { Json, JsonObject } from '../json/json.js';
import type { BrokenRule } from '../questions/access-rules/violation.js';
import type { AccessReport, NoAccessReport } from '../questions/impact/report/access-report.js';
import type { Address } from '../records/address.js';
import type { Kind } from '../records/kinds.js';
import type { Suspension } from '../records/suspension.js';
import type { RefusedForm } from '../state/refused-forms.js';

/**
 * The change of one field. An absent side means that the field was not there. `pointer` is an RFC 6901 JSON pointer.
 */
export interface Difference {
  pointer: string;
  before?: Json;
  after?: Json;
}

/**
 * The effect of a plan on one record. `address` is that after the moves of the plan, `fields` are all the fields
 * afterwards, `taken_from` is the present owner where ownership is taken. `differences` say what changes in a record that
 * stays, beyond what a move itself brings, and what is lost with one that goes; of a creation, `fields` say all.
 */
export type PlannedChange = {
  kind: Kind;
  address: Address;
  differences: Difference[];
  /** The properties in it whose values are not shown; absent where there are none. */
  sensitive?: string[];
} & (
  | { action: 'create'; fields: JsonObject }
  | { action: 'update'; fields: JsonObject; taken_from?: string }
  | { action: 'move'; from: Address; fields: JsonObject; taken_from?: string }
  | { action: 'adopt'; taken_from: string }
  | { action: 'delete'; removed_from?: string }
);

/** A record of another stack that changes only because it mentions a moved record. */
export interface Follower {
  kind: Kind;
  /** The address afterwards; the same as `from` where only another field mentions what is moved. */
  address: Address;
  from: Address;
  managed_by: string;
}

/**
 * A link of another stack that grants a role, policy or group of this stack: an access that the tree does not say. A plan
 * that is exclusive removes it in place of showing it here.
 */
export interface ForeignLink {
  kind: Kind;
  /** As it is after the moves of the plan. */
  address: Address;
  managed_by: string;
  /** The record that it grants. */
  grants: Address;
}

/** A suspension by somebody else of a subject of the stack, which stays because the tree says nothing of it. */
export type KeptSuspension = { address: Address } & Suspension;

/** How many records a plan touches, as the change-set's answer counts them: followers are changed. */
export type PlanCounts = { added: number; changed: number; removed: number; unchanged: number };

/**
 * The whole difference between what a stack declares and what the tenant holds, as data: the text, JSON and Markdown
 * that people read are renderings of it, and applying it sends exactly these changes on exactly this base.
 */
export interface Plan {
  format: 1;
  tenant: string;
  stack: string;
  base_revision: string;
  /** In the order of dependency: creations and updates forwards, then deletions backwards. */
  changes: PlannedChange[];
  /** Absent where there are none. */
  followers?: Follower[];
  /** Absent where there are none. */
  foreign_links?: ForeignLink[];
  /** Records of the tenant that say what would be refused now, and stay as they are; absent where there are none. */
  refused_forms?: RefusedForm[];
  /** Absent where there are none. */
  kept_suspensions?: KeptSuspension[];
  /** Access rules that it breaks and that do not refuse it; absent where there are none. */
  broken_rules?: readonly BrokenRule[];
  counts: PlanCounts;
  /** The access report, or why there is none; absent if nobody asked. */
  access?: AccessReport | NoAccessReport;
}
