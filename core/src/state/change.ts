import type { Writer } from '../limits/writer.js';
import type { Violation } from '../questions/access-rules/violation.js';
import type { Address } from '../records/address.js';
import type { Kind } from '../records/kinds.js';
import type { DeclaredRecord, StoredRecord } from '../records/registry.js';

/**
 * One change of a change-set. The order within a change-set means nothing: moves come first, and validity is judged on
 * the state that all changes together make. A credential may be given a `secret` of the caller's own choosing; who
 * commits the change-set keeps its hash, nothing else of it.
 */
export type Change =
  | { op: 'create'; kind: Kind; fields: Record<string, unknown>; secret?: string }
  /** `fields` are all the fields the record shall have; they must give the same address. */
  | { op: 'update'; address: Address; fields: Record<string, unknown>; secret?: string }
  | { op: 'delete'; address: Address }
  /** Renames: the record keeps its id, and everything that mentions it follows. */
  | { op: 'move'; from: Address; to: Address }
  /** Takes the record over for the stack of the change-set without changing it. */
  | { op: 'adopt'; address: Address };

/** The owner of records that were written without a stack: they are nobody's. */
export const NOBODY = 'api';

/** Who stages a change-set, with which rights, and when. */
export interface StageOptions {
  /** Whose change-set it is: only its own records may be touched. Without one, ownership is not asked for. */
  stack?: string;
  /** Whether touched records of other stacks become this stack's. */
  takeOwnership?: boolean;
  /**
   * Whether it comes from a session of the console: that may also touch what is nobody's (`api`), and suspend and reinstate
   * subjects of all owners, which keep them; and it must not decide over the console.
   */
  session?: boolean;
  /** Whether links of other stacks that grant what this stack owns may be removed. */
  exclusive?: boolean;
  /** Whether what breaks enforced access rules is returned in place of refused. */
  reportRules?: boolean;
  /** The writer, if it is limited in what it may write. */
  writer?: Writer;
  now: Date;
  /** A new server-side id. */
  newId(): string;
  /** The number of the revision that the change-set will make. */
  revision: number;
}

/**
 * The result of a change-set on a state, before it is stored. Addresses may trade places (a swap by moves, a deletion and a
 * creation of one address): a store takes out `remove` and every `previous` first, and then puts.
 */
export interface Staged {
  /**
   * Records to insert (no `previous`) or to replace, in the order of dependency. A `previous` with another address was
   * moved. One that `follows` changes only because what it mentions was renamed.
   */
  put: { record: StoredRecord; previous?: StoredRecord; follows?: true }[];
  remove: StoredRecord[];
  /** The addresses that `create` made, in the order of the change-set. */
  created: Address[];
  /**
   * Violations of access rules that only warn, or of any if the caller asked for that, and of new rules that are broken at
   * once.
   */
  warnings?: Violation[];
}

/** One fault or warning about a record, placed by a JSON pointer (RFC 6901) into its fields. */
export interface RecordFinding {
  severity: 'error' | 'warning';
  address: Address;
  pointer: string;
  /** The position in the text that the pointer names, in UTF-16 units from its start. */
  offset?: number;
  /** Names the value and the remedy. */
  detail: string;
}

/** Reading access to records by address: what validation, planning and paging need. */
export interface RecordView {
  get(address: Address): DeclaredRecord | undefined;
  /** The addresses of the records that mention this one; with a kind, at least those of this kind. */
  inbound(address: Address, kind?: Kind): Iterable<Address>;
  /** All addresses of a kind, for naming the nearest one where a reference dangles. */
  addresses?(kind: Kind): Iterable<Address>;
}
