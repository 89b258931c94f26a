import type { Lines, SourcePlace } from '../../../manifest/manifest.js';
import type { Address } from '../../../records/address.js';

/**
 * The goals of tests for a record: of a policy, that it decides, and that it does not apply to something that it covers; of
 * a clause, that it is true, and that it is false; of an assignment, that a test fails without it.
 */
export type Goal = 'decides' | 'does_not_apply' | 'true' | 'false' | 'needed';

export interface CoveragePoint extends SourcePlace {
  address: Address;
  goal: Goal;
  /** The text of the clause, or the name of the modifier. */
  clause?: string;
  /** How many questions show it; of an assignment, 1 if one does. */
  hits: number;
  /** Why it need not be shown, as a comment beside the record says. */
  accepted?: string;
  /** The lines of the record. */
  lines: Lines;
}
