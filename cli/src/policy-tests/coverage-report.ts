import type { Lines } from '@authz-service/core/manifest/manifest';
import type { Acceptances } from '@authz-service/core/questions/lint/acceptances';
import type { CoveragePoint } from '@authz-service/core/questions/policy-tests/coverage/coverage-point';
import type { PreparedTests } from '@authz-service/core/questions/policy-tests/run-tests';
import type { Style } from '../output/terminal.js';
import { writeText } from '../output/write-text.js';
import type { Assessment, AssessmentFlags } from './assessment.js';
import { lcovText } from './lcov.js';
import { belowText, renderCoverage } from './render-coverage.js';

/** Coverage as data and as text, and whether it reaches the threshold. */
export async function coverageReport(
  prepared: PreparedTests,
  { threshold, lcov, 'changed-since': since }: AssessmentFlags,
  isWanted: (lines: Lines) => boolean,
  { now, acceptances, style }: { now: number; acceptances: Acceptances; style: Style },
): Promise<Assessment> {
  const [{ measureCoverage }, { reaches, shareOf }] = await Promise.all([
    import('@authz-service/core/questions/policy-tests/coverage/measure-coverage'),
    import('@authz-service/core/questions/policy-tests/share'),
  ]);
  const points = measureCoverage(prepared, now)
    .filter(({ lines }) => isWanted(lines))
    .map((point) => accepted(point, acceptances));
  if (lcov !== undefined) await writeText(lcov, lcovText(points));
  const share = shareOf(points.filter((point) => point.accepted === undefined).map(({ hits }) => hits > 0));
  const reached = threshold === undefined || reaches(share, threshold);
  const text = renderCoverage(points, since, style);
  return {
    json: { ...share, points: points.map(({ lines: _, ...point }) => point) },
    text: reached ? text : `${text}\n${belowText('Coverage', share, threshold, style)}`,
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
