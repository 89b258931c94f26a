import type { SourcePlace } from '@authz-service/core/manifest/manifest';
import type { AccessReport, NoAccessReport } from '@authz-service/core/questions/impact/report/access-report';
import type { Address } from '@authz-service/core/records/address';
import type { PlannedStates } from '@authz-service/provider/reconcile/reconcile';
import { UsageError } from '../errors/usage-error.js';
import type { GateFlags } from '../impact/gates/gate-flags.js';
import { type Reported, reportImpact } from '../impact/report-impact.js';

/** The flags of a command that judges nothing. */
const NO_GATES: GateFlags = { 'no-new-access': false };

/** The gates that the command line names. */
export function gatesIn(flags: GateFlags): string[] {
  const { 'no-new-access': noNewAccess, 'not-granted': file, 'max-gained': most } = flags;
  const given = { 'no-new-access': noNewAccess, 'not-granted': file !== undefined, 'max-gained': most !== undefined };
  return Object.entries(given).flatMap(([gate, isGiven]) => (isGiven ? [gate] : []));
}

/**
 * Computes what a plan does to access: the whole tenant, of all stacks, before and after it. Where that fails, the reason
 * stands in its place, since the plan of the records is true without it. Throws `UsageError` for what the flags name.
 */
export async function accessOfPlan(
  { before, after }: PlannedStates,
  placeOf: (address: Address) => SourcePlace | undefined,
  flags: GateFlags = NO_GATES,
): Promise<AccessReport | NoAccessReport> {
  try {
    const options = { now: Date.now(), gaps: [], members: false, flags };
    const { report }: Reported = await reportImpact({ records: before }, { records: after(), placeOf }, options);
    return report;
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
