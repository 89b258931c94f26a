import type { AccessDelta, PairLine } from './access-delta.js';
import type { Finding } from './finding.js';
import type { ImpactOptions, TenantSide } from './side.js';

/** An access delta, and what is listed one by one only if somebody asks. */
export interface Impact {
  readonly delta: AccessDelta;
  /** Each recorded triple whose answer changes, in the order of subject, resource and action. */
  pairs(): Iterable<PairLine>;
  /** The paths of the recorded subjects that a finding is about, sorted. */
  subjectsOf(finding: Finding): readonly string[];
  /** The paths of the recorded resources that a finding is about, sorted. */
  resourcesOf(finding: Finding): readonly string[];
}

/**
 * What changes between two states: `computeImpact` in `impact/compute-impact.ts`. It works in short steps, as
 * `time-slicing.ts` runs them, and throws nothing for states that are valid.
 */
export type ComputeImpact = (
  before: TenantSide,
  after: TenantSide,
  options: ImpactOptions,
) => Generator<undefined, Impact>;
