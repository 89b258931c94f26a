import type { Json } from '../json.js';
import type { Address } from '../records/address.js';
import type { Kind } from '../records/kinds.js';

/** One field's change. An absent side means the field was not there. `pointer` is an RFC 6901 JSON pointer. */
export interface Difference {
  pointer: string;
  before?: Json;
  after?: Json;
}

/** What a plan does to one record. `fields` are all the fields afterwards. */
export type PlannedChange = { kind: Kind; address: Address; differences: Difference[] } & (
  | { action: 'create'; fields: Record<string, Json> }
  | {
      action: 'update';
      fields: Record<string, Json> /** The present owner, where ownership is taken. */;
      taken_from?: string;
    }
  | { action: 'move'; from: Address; fields: Record<string, Json>; taken_from?: string }
  | { action: 'adopt'; taken_from: string }
  | { action: 'delete' }
);

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
  counts: PlanCounts;
}
