import type { TenantSide } from '@authz-service/core/access/universe/side';
import type { Manifest } from '@authz-service/core/manifest/manifest';
import type { AccessReport, NoAccessReport } from '@authz-service/core/questions/impact/report/access-report';
import type { PlannedStates } from '@authz-service/provider/reconcile/reconcile';
import { UsageError } from '../errors/usage-error.js';
import type { GateFlags } from '../impact/gates/gate-flags.js';
import { type Reported, reportImpact } from '../impact/report-impact.js';
import { requiredGates } from './required-gates.js';

/** The flags of a command that judges nothing. */
export const NO_GATES: GateFlags = { 'no-new-access': false };

/** The gates that the command line names. */
export function gatesIn(flags: GateFlags): string[] {
  const { 'no-new-access': noNewAccess, 'not-granted': file, 'max-gained': most, require } = flags;
  const given = {
    'no-new-access': noNewAccess,
    'not-granted': file !== undefined,
    'max-gained': most !== undefined,
    require: require !== undefined,
  };
  return Object.entries(given).flatMap(([gate, isGiven]) => (isGiven ? [gate] : []));
}

/** Adds the gates of a tree's environment to those of the command line. Throws `UsageError` where these would change them. */
export function gatesOf<F extends GateFlags>(flags: F, { gates, environment }: Manifest): F {
  if (gates === undefined) return flags;
  const { no_new_access: noNewAccess = false, max_gained: most, for: patterns, require } = gates;
  if (most !== undefined && (flags['max-gained'] !== undefined || flags.for !== undefined))
    throw new UsageError(
      `The environment "${environment}" says max_gained in its gates: leave out --max-gained and --for.`,
    );
  return {
    ...flags,
    'no-new-access': flags['no-new-access'] || noNewAccess,
    ...(most !== undefined && { 'max-gained': most, ...(patterns && { for: patterns }) }),
    ...(require && { require }),
  };
}

/**
 * Computes what a plan does to access: the whole tenant, of all stacks, before and after it. Where that fails, the reason
 * stands in its place, since the plan of the records is true without it. Throws `UsageError` for what the flags name.
 */
export async function accessOfPlan(
  { before, after }: PlannedStates,
  tree: Pick<TenantSide, 'placeOf' | 'environmentPlaceOf'> & { folder: string; environment: string | undefined },
  flags: GateFlags = NO_GATES,
): Promise<AccessReport | NoAccessReport> {
  try {
    const options = { now: Date.now(), gaps: [], members: false, flags };
    const { report }: Reported = await reportImpact({ records: before }, { records: after(), ...tree }, options);
    const { require = [] } = flags;
    if (require.length === 0) return report;
    return { ...report, gates: [...(report.gates ?? []), ...(await requiredGates(require, report, tree))] };
  } catch (error) {
    if (error instanceof UsageError || isSystemError(error)) throw error;
    const { failureOf } = await import('../errors/failure.js');
    const { detail, hint = '' } = failureOf(error, { flags: [] });
    return { unavailable: `${detail} ${hint}`.trim() };
  }
}

/** A file that a flag names cannot be read: that is no fault of the comparison. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
