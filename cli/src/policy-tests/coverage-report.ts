import type { Acceptances } from '@authz-service/core/acceptances';
import type { CoveragePoint } from '@authz-service/core/policy-tests/coverage/coverage-point';
import type { PreparedTests } from '@authz-service/core/policy-tests/run-tests';
import { UsageError } from '../errors/usage-error.js';
import type { Style } from '../output/terminal.js';
import { writeText } from '../output/write-text.js';
import { changedLines } from './changed-lines.js';
import { lcovText } from './lcov.js';
import { percentText, renderCoverage } from './render-coverage.js';

export interface CoverageFlags {
  coverage?: boolean | undefined;
  lcov?: string | undefined;
  threshold?: string | undefined;
  'changed-since'?: string | undefined;
}

export function wantsCoverage(flags: CoverageFlags): boolean {
  const { coverage = false, lcov, threshold, 'changed-since': since } = flags;
  if (threshold !== undefined && !/^(?:100(?:\.0+)?|\d{1,2}(?:\.\d{1,6})?)$/.test(threshold))
    throw new UsageError(`--threshold "${threshold}" is not a percentage: write a number from 0 to 100, like 99.5.`);
  return coverage || lcov !== undefined || threshold !== undefined || since !== undefined;
}

/** Coverage as data, as text, and whether it reaches the threshold. */
export async function coverageReport(
  prepared: PreparedTests,
  folder: string,
  flags: CoverageFlags,
  { now, acceptances, style }: { now: number; acceptances: Acceptances; style: Style },
): Promise<{ json: object; text: string; reached: boolean }> {
  const { threshold, 'changed-since': since } = flags;
  const [{ measureCoverage, pointsOnLines }, { reaches, shareOf }] = await Promise.all([
    import('@authz-service/core/policy-tests/coverage/measure-coverage'),
    import('@authz-service/core/policy-tests/coverage/share'),
  ]);
  const all = measureCoverage(prepared, now).map((point) => accepted(point, acceptances));
  const points = since === undefined ? all : pointsOnLines(all, await changedLines(folder, since));
  if (flags.lcov !== undefined) await writeText(flags.lcov, lcovText(points));
  const share = shareOf(points);
  const reached = threshold === undefined || reaches(share, threshold);
  const short = `${style('red', '✗')} Coverage is ${percentText(share)}, less than ${threshold} %`;
  const text = renderCoverage(points, since, style);
  return {
    json: { ...share, points: points.map(({ lines: _, ...point }) => point) },
    text: reached ? text : `${text}\n${short}`,
    reached,
  };
}

function accepted(point: CoveragePoint, acceptances: Acceptances): CoveragePoint {
  if (point.hits > 0) return point;
  const { file, line, lines } = point;
  const reason = acceptances.reasonFor('coverage', [
    { file, line },
    { file, line: lines.first },
  ]);
  return reason === undefined ? point : { ...point, accepted: reason };
}
