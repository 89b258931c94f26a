import type { Address } from '../../records/address.js';
import type { DeclaredRecord } from '../../records/registry.js';

/** A record of a state. A live tenant knows its id, and a tree does not; `managed_by` is its stack, where that is known. */
export type SideRecord = DeclaredRecord & { readonly id?: string; readonly managed_by?: string };

/**
 * One of the two states of a tenant that are compared. Records are known by address, since a tree has no ids; they are
 * valid together. Credentials may be among them and make no difference.
 */
export interface TenantSide {
  readonly records: Iterable<SideRecord>;
  /** Returns where a record is written, if it is written in files. */
  placeOf?(address: Address): { file: string; line: number } | undefined;
  /**
   * Returns where an environment of a tree adds or removes a record, or gives it a field; `written` is a condition as it is in
   * every environment, if a variable in it is given.
   */
  environmentPlaceOf?(address: Address, field?: string): { file: string; line: number; written?: string } | undefined;
}

export interface ImpactOptions {
  /** The start: milliseconds since the epoch. Nothing that is over by then makes a difference. */
  readonly now: number;
  /** False leaves out causes and witnesses, which take most of the time: for those who only want the triples. */
  readonly explained?: boolean;
  /**
   * True also tells findings apart by the memberships through which subjects come to what they say: for states between which
   * no membership and no role changes, and without causes.
   */
  readonly byMembership?: boolean;
  /**
   * The most pairs of subjects and resources that are looked at where a condition joins them by more than equality
   * (docs/semantics.md 10.8); a million if it is not said.
   */
  readonly pairsMax?: number;
}
