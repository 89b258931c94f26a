import type { TenantSide } from '@authz-service/core/access/universe/side';
import type { Impact } from '@authz-service/core/questions/impact/api/impact';
import type { AccessReport, ReportedFinding } from '@authz-service/core/questions/impact/report/access-report';
import { UsageError } from '../errors/usage-error.js';
import { readBaseline, writeBaseline } from './gates/baseline.js';
import type { GateFlags } from './gates/gate-flags.js';
import { type Gates, judge } from './gates/gates.js';
import { KnownNames } from './gates/known-names.js';
import { readNotGranted } from './gates/not-granted.js';
import { forPattern } from './gates/pattern.js';
import { rulesGate } from './gates/rules-gate.js';

/** The two states, what was computed, and the report with the gates of the command line. */
export interface Reported {
  impact: Impact;
  report: AccessReport;
  /** Entries of the baseline that no finding is about any more. */
  stale: string[];
}

/** The access delta of two states, judged by what the flags demand. `now` is in milliseconds since the epoch. */
export async function reportImpact(
  before: TenantSide,
  after: TenantSide,
  { now, gaps, members, flags }: { now: number; gaps: readonly string[]; members: boolean; flags: GateFlags },
): Promise<Reported> {
  // What the flags name is read first: a mistake in it should not take the time of the comparison.
  const gates = await gatesOf(flags, before, after);
  const baseline = flags.baseline === undefined ? new Set<string>() : await readBaseline(flags.baseline);
  const [{ computeImpact }, { groupFindings }] = await Promise.all([
    import('@authz-service/core/questions/impact/compute-impact'),
    import('@authz-service/core/questions/impact/report/finding-groups'),
  ]);
  const impact = computeImpact(before, after, { now });
  const findings = impact.delta.findings.map((finding): ReportedFinding => {
    const acknowledged = baseline.has(finding.id);
    return {
      ...finding,
      ...(acknowledged && { acknowledged }),
      ...(members && { members: impact.subjectsOf(finding) }),
    };
  });
  if (flags['write-baseline'] !== undefined) await writeBaseline(flags['write-baseline'], findings);
  const present = new Set(findings.map(({ id }) => id));
  const rules = await rulesGate(before, after, now);
  const results = [...(rules === undefined ? [] : [rules]), ...judge(gates, findings, impact, gaps)];
  const groups = groupFindings(impact.delta.findings, impact, { before, after });
  return {
    impact,
    report: {
      ...impact.delta,
      findings,
      ...(groups.length > 0 && { groups }),
      ...(gaps.length > 0 && { gaps }),
      ...(results.length > 0 && { gates: results }),
    },
    stale: [...baseline].filter((id) => !present.has(id)),
  };
}

async function gatesOf(flags: GateFlags, before: TenantSide, after: TenantSide): Promise<Gates> {
  const { 'no-new-access': noNewAccess, 'not-granted': file, 'max-gained': maxGained, for: written = [] } = flags;
  if (written.length > 0 && maxGained === undefined) {
    throw new UsageError('--for says what --max-gained counts: give --max-gained as well.');
  }
  const names = file === undefined && written.length === 0 ? undefined : new KnownNames(before, after);
  return {
    noNewAccess,
    countedFor: names === undefined ? [] : written.map((pattern) => forPattern(pattern, names)),
    ...(file !== undefined && names !== undefined && { notGranted: await readNotGranted(file, names) }),
    ...(maxGained !== undefined && { maxGained }),
  };
}
