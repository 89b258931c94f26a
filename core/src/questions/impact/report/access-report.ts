import type { AccessDelta } from '../api/access-delta.js';
import type { Finding } from '../api/finding.js';
import type { FindingGroup } from './finding-groups.js';

/** The gate that enforced access rules are, in a report of states that have some. */
export const RULES_GATE = 'access-rules';

/** One gate, and whether it lets the change pass. */
export interface GateResult {
  /** The name of its flag: `no-new-access`. */
  gate: string;
  passed: boolean;
  /** In a sentence, why. */
  detail: string;
  /** The ids of the findings that it refuses. */
  findings: string[];
}

/** A finding as a report shows it. */
export interface ReportedFinding extends Finding {
  /** The paths of the recorded subjects that it is about, where somebody asked for them. */
  readonly members?: readonly string[];
  /** Whether the baseline has it; gates leave it alone. */
  readonly acknowledged?: true;
}

/** The effect of a change on access, as `plan` and `impact` print it with `--json`, and as saved plans hold it. */
export interface AccessReport extends AccessDelta {
  readonly findings: readonly ReportedFinding[];
  /** Findings that are summed up, since they say the same of many; absent where none are. */
  readonly groups?: readonly FindingGroup[];
  /** Gaps in the knowledge of the two states, in sentences; absent if there are none. Gates then fail. */
  readonly gaps?: readonly string[];
  readonly gates?: readonly GateResult[];
}

/** Whether a report does not cover all that may change: something is not known, or there was too much to look at. */
export function isOpen({ gaps = [], complete }: AccessReport): boolean {
  return gaps.length > 0 || complete === false;
}

/** In the place of a report, where there can be none. */
export interface NoAccessReport {
  /** In a sentence, why. */
  readonly unavailable: string;
}

/** Whether a finding makes something possible that was not, or may do so. */
export function widens({ change }: Pick<Finding, 'change'>): boolean {
  return change !== 'lost' && change !== 'narrowed';
}
