import { table } from '../output/table.js';
import type { Style } from '../output/terminal.js';
import { counted, printable } from '../output/text.js';
import type { ConformanceReport } from './run.js';

/** The report for people: a line for each level, the reasons of failed checks, and the totals. */
export function renderReport(
  { url, passed, failed, levels, checks }: ConformanceReport,
  style: Style,
  columns: number,
): string {
  const rows = checks.map((check) => [check.passed ? 'pass' : 'FAIL', check.level, check.section, check.name]);
  const reasons = checks.flatMap(({ section, name, detail }) =>
    detail === undefined ? [] : [style('red', `✗ ${section} ${name}`), `    ${printable(detail)}`],
  );
  const width = Math.max(...levels.map(({ level }) => level.length));
  const sum = levels.map(({ level, conforms }) =>
    conforms ? `${style('green', '✓')} ${level}` : `${style('red', '✗')} ${level.padEnd(width)}  does not conform`,
  );
  const counts = `${counted(passed, 'check')} passed, ${failed} failed`;
  return [
    table(['RESULT', 'LEVEL', 'SECTION', 'CHECK'], rows, style, columns),
    ...(reasons.length > 0 ? ['', ...reasons] : []),
    '',
    ...sum,
    '',
    style('bold', `${printable(url)}: ${counts}`),
    ...(lacksScenario(checks) ? [`${style('cyan', 'hint:')} ${WITHOUT_SCENARIO}`] : []),
  ].join('\n');
}

const WITHOUT_SCENARIO =
  'Nobody may read record-1 there: check that it holds the records of the scenario, which examples/authzen-fixture declares.';

/** If nobody may do what the scenario begins with, its records are most likely missing. */
function lacksScenario(checks: ConformanceReport['checks']): boolean {
  const first = checks.filter(({ level, name }) => level === 'basic-core' && name.endsWith(' reads record-1'));
  return first.length > 0 && first.every(({ passed }) => !passed);
}
