import type { Address, Path } from '../../../records/address.js';
import type { DecisionRequest } from '../../../request.js';

/**
 * The kind of a change to access (docs/semantics.md 10.7). `gained` and `lost` are `widened` and `narrowed` where access
 * depends on the request both before and after; `changed` is both at once; `unknown` cannot be said, and counts as widened
 * in gates.
 */
export type FindingChange = 'gained' | 'lost' | 'widened' | 'narrowed' | 'changed' | 'unknown';

/** A principal through which subjects are named: `group/finance`, `everyone/user`, `subject/user/alice`. */
export interface FindingPrincipal {
  readonly principal: Address;
  /** How many recorded subjects of the principal the finding is about. */
  readonly subjects: number;
  /** How many recorded subjects the principal has, at any level, before or after. */
  readonly of: number;
  /** How many of `subjects` belong to it directly, not through another group. */
  readonly directly: number;
}

export interface FindingSubjects {
  /** As few as name all recorded subjects of the finding. */
  readonly principals: readonly FindingPrincipal[];
  /** How many recorded subjects the finding is about. */
  readonly recorded: number;
  /** The types of subjects without a record that it is about, too; `*` stands for every type that no record mentions. */
  readonly unrecorded: readonly string[];
  /**
   * The role that a request names; the finding is then about nobody else: about the recorded subjects, whose suspension
   * changes, or without these about anybody.
   */
  readonly named_role?: Address;
  /** With `named_role`: only subjects of these types, or of all types but these; never both. */
  readonly named_types?: readonly string[];
  readonly named_types_except?: readonly string[];
}

/** Resources of one type. */
export interface FindingResources {
  readonly type: Path;
  /**
   * `all` of the type, recorded or not; all `recorded` ones; the `named` ones; all `unrecorded` ones, or of these only those
   * that lie `nowhere` or of which nobody says where they lie, or not all of it (`unsaid`, docs/semantics.md 8.3).
   */
  readonly which: 'all' | 'recorded' | 'named' | 'unrecorded' | 'nowhere' | 'unsaid';
  /** Only those below this resource; with `unsaid`, those of which nobody says where else they lie. */
  readonly below?: Path;
  /** And below each of these, too. */
  readonly and_below?: readonly Path[];
  /**
   * Those left out of `all` and `unrecorded` ones, and of `named` ones where requests place them: those that lie below any
   * of these. Of them something else is said, or nothing.
   */
  readonly not_below?: readonly Path[];
  /** Only those that lie below any others besides, which conditions ask about. */
  readonly among_others?: true;
  /**
   * Their paths, the first ones if there are many: where `which` is `named`, which means one that has a record in one state
   * only wherever requests place it in the other; and of those of which it is said only where they do: `nowhere`,
   * `unrecorded` and `below`, or `unsaid` where requests do not say.
   */
  readonly names?: readonly Path[];
  /** How many recorded resources these are. */
  readonly recorded: number;
}

/** A changed record that a finding comes from. */
export interface CauseRecord {
  readonly address: Address;
  readonly change: 'added' | 'changed' | 'removed';
  /** The file in which it is written: afterwards, or before if it is removed. */
  readonly file?: string;
  readonly line?: number;
  /** The policy, role or group that a removed link gave, if that was removed as well. */
  readonly removed_with?: Address;
}

/** A request that is answered differently, by the engine itself. */
export interface Witness {
  readonly request: DecisionRequest;
  /** RFC 3339. */
  readonly now: string;
  /** Whether it is allowed; a failed evaluation allows nothing. */
  readonly before: boolean;
  readonly after: boolean;
}

/** One thing that becomes possible or impossible, for many subjects, actions and resources at once. */
export interface Finding {
  /** The finding's identity (docs/semantics.md 10.10): 16 hex digits that hang on what it says, not on its causes. */
  readonly id: string;
  readonly change: FindingChange;
  readonly subjects: FindingSubjects;
  /** Sorted. `*` stands for every action, also one that no type declares, but those of `actions_except`. */
  readonly actions: readonly string[];
  readonly actions_except?: readonly string[];
  readonly resources: readonly FindingResources[];
  /** The condition on requests afterwards, as Service CEL; null where nothing remains open: all are allowed, or none. */
  readonly condition: string | null;
  /** The condition on requests before, where access depended on a condition. */
  readonly condition_before?: string;
  /** RFC 3339; null from now on. */
  readonly from: string | null;
  /** RFC 3339; null without end. */
  readonly until: string | null;
  /** How many recorded subjects, actions and resources together it is about; an upper bound where not `exact`. */
  readonly triples: number;
  readonly exact: boolean;
  /**
   * Changed records that bring the finding: each list is minimal by inclusion, and each is an alternative; at most three.
   */
  readonly causes: readonly (readonly CauseRecord[])[];
  /** Reasons to look at it first. */
  readonly risks: readonly FindingRisk[];
  /** Absent where no request was found that shows it. */
  readonly witness?: Witness;
}

/** Worst first: everyone, any action, anybody whom requests name, a DENY that goes or holds less. */
export const FINDING_RISKS = ['everyone', 'any_action', 'named_role', 'deny_weakened'] as const;
export type FindingRisk = (typeof FINDING_RISKS)[number];
