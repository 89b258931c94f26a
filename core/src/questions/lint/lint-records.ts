import type { DeclaredRecord } from '../../records/registry.js';
import { attributeFindings } from './attribute-findings.js';
import { conditionFindings } from './condition-findings.js';
import { deadPolicyFindings } from './dead-policies.js';
import { filterFindings } from './filter-findings.js';
import { holderFindings } from './holder-findings.js';
import type { LintFinding } from './lint-finding.js';

/** Finds what is allowed in records but unused, and likely mistakes. `now` is milliseconds since the epoch. */
export function lintRecords(records: readonly DeclaredRecord[], now: number): LintFinding[] {
  const vacuous = conditionFindings(records, now);
  const neverApply = new Set(vacuous.flatMap(({ rule, address }) => (rule === 'vacuous-policy' ? [address] : [])));
  return [
    ...vacuous,
    ...deadPolicyFindings(records, neverApply, now),
    ...holderFindings(records, now),
    ...attributeFindings(records),
    ...filterFindings(records, now),
  ];
}
