import type { Lines } from '@authz-service/core/manifest/manifest';
import { UsageError } from '../errors/usage-error.js';
import { changedLines } from './changed-lines.js';

/** The flags that ask how much the tests say. */
export interface AssessmentFlags {
  coverage?: boolean | undefined;
  lcov?: string | undefined;
  mutate?: boolean | undefined;
  threshold?: string | undefined;
  'changed-since'?: string | undefined;
}

/** A report on how much the tests say. */
export interface Assessment {
  json: object;
  text: string;
  /** Whether it reaches the threshold. */
  reached: boolean;
}

/** Returns what the flags ask for; a threshold and changes are those of coverage unless mutants alone are asked for. */
export function assessmentsOf(flags: AssessmentFlags): { coverage: boolean; mutate: boolean } {
  const { coverage = false, lcov, mutate = false, threshold, 'changed-since': since } = flags;
  if (threshold !== undefined && !/^(?:100(?:\.0+)?|\d{1,2}(?:\.\d{1,6})?)$/.test(threshold))
    throw new UsageError(`--threshold "${threshold}" is not a percentage: write a number from 0 to 100, like 99.5.`);
  const implied = !mutate && (threshold !== undefined || since !== undefined);
  return { coverage: coverage || lcov !== undefined || implied, mutate };
}

/** Which records are looked at, by their lines. */
export async function wantedLines(
  folder: string,
  { 'changed-since': since }: AssessmentFlags,
): Promise<(lines: Lines) => boolean> {
  if (since === undefined) return () => true;
  const [changed, { isChanged }] = await Promise.all([
    changedLines(folder, since),
    import('@authz-service/core/questions/policy-tests/changed-records'),
  ]);
  return (lines) => isChanged(lines, changed);
}
