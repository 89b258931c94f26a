import type { Address, Path } from '../../../records/address.js';
import type { AccessDelta, PairLine } from './access-delta.js';
import type { Finding } from './finding.js';

/** Subjects of a finding that act alike in every finding. */
export interface AlikeSubjects {
  /** `recorded`; `unrecorded` of a type; `named`: those of a type whom requests name as the role. */
  readonly kind: 'recorded' | 'unrecorded' | 'named';
  /** `*` stands for every type that no record mentions. */
  readonly type: string;
  /** The address of that role. */
  readonly role?: Address;
  /** With `role`: the types that are told apart for it; `*` stands for all others. */
  readonly types?: readonly string[];
  /** Names all that act alike, of whom the finding may be about some. */
  readonly alike: number;
  /** How many act alike. */
  readonly of: number;
  /** Each the same object in all findings. */
  readonly members: readonly { readonly path: Path }[];
  /**
   * If that was asked: the groups, roles and everyone that they belong to directly and come to it by, and `own` for what is
   * given to themselves. Empty for those without a record.
   */
  readonly by: readonly (Address | 'own')[];
}

/** An access delta, and what is listed one by one only if somebody asks. */
export interface Impact {
  readonly delta: AccessDelta;
  /** Each recorded triple whose answer changes, in the order of subject, resource and action. */
  pairs(): Iterable<PairLine>;
  /** The paths of the recorded subjects that a finding is about, sorted. */
  subjectsOf(finding: Finding): readonly string[];
  /** All subjects that a finding is about. */
  alikeIn(finding: Finding): readonly AlikeSubjects[];
  /** The paths of the recorded resources that a finding is about, sorted. */
  resourcesOf(finding: Finding): readonly string[];
}
