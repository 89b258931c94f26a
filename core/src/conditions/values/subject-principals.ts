import type { Path } from '../../records/address.js';
import type { Absent } from './outcome.js';
import type { Work } from './work.js';

/**
 * Answers what a condition asks about whom the subject acts as in this decision (docs/semantics.md 4.11, 4.12). Nothing
 * of an answer may be kept for another decision.
 */
export interface SubjectPrincipals {
  inGroup(path: Path, work: Work): boolean;
  /** Absent where the subject holds the role only if the resource lies where nobody says whether it does. */
  hasRole(path: Path, work: Work): boolean | Absent;
}

/** The principals of a subject that acts as nobody but itself. */
export const NO_PRINCIPALS: SubjectPrincipals = { inGroup: () => false, hasRole: () => false };
