import { basicChecks } from './basic.js';
import { batchChecks } from './batch.js';
import { type Check, CheckFailed, LEVELS, type Level } from './check.js';
import type { DecisionPoint } from './decision-point.js';
import { discoveryChecks } from './discovery.js';
import { searchChecks } from './search.js';

export interface CheckResult {
  level: Level;
  /** The section of the certification scenario that asks for it. */
  section: string;
  name: string;
  passed: boolean;
  /** Why it failed. */
  detail?: string;
}

export interface ConformanceReport {
  url: string;
  passed: number;
  failed: number;
  /** Whether all checks of the level, and of the one that it builds on, have passed. */
  levels: { level: Level; conforms: boolean }[];
  checks: CheckResult[];
}

const CHECKS: readonly Check[] = [...basicChecks, ...batchChecks, ...searchChecks, ...discoveryChecks];

/**
 * Runs the certification scenario of the AuthZEN working group against a decision point, including the levels that
 * these build on.
 */
export async function runConformance(point: DecisionPoint, levels: readonly Level[]): Promise<ConformanceReport> {
  const wanted = new Set<Level>(levels);
  for (const level of levels) if (LEVELS[level] !== undefined) wanted.add(LEVELS[level]);
  await point.discover().catch((error: unknown) => {
    // If the decision point cannot be reached, each check fails by itself.
    if (!(error instanceof CheckFailed)) throw error;
  });
  const checks: CheckResult[] = [];
  for (const check of CHECKS) if (wanted.has(check.level)) checks.push(await resultOf(check, point));
  const clean = (level: Level | undefined) => checks.every((check) => check.level !== level || check.passed);
  const passed = checks.filter((check) => check.passed).length;
  return {
    url: point.base,
    passed,
    failed: checks.length - passed,
    levels: (Object.keys(LEVELS) as Level[])
      .filter((level) => wanted.has(level))
      .map((level) => ({ level, conforms: clean(level) && clean(LEVELS[level]) })),
    checks,
  };
}

async function resultOf({ level, section, name, run }: Check, point: DecisionPoint): Promise<CheckResult> {
  try {
    await run(point);
    return { level, section, name, passed: true };
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error;
    return { level, section, name, passed: false, detail: error.message };
  }
}
