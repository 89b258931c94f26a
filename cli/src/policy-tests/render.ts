import { faultText } from '@authz-service/core/manifest/manifest';
import type { CaseResult, TestReport } from '@authz-service/core/questions/policy-tests/run-tests';
import type { Style } from '../output/terminal.js';
import { counted, printable } from '../output/text.js';

/** The report for people: what failed, each with its place, and the totals. */
export function renderReport({ faults, results }: TestReport, files: number, style: Style): string {
  const where = ` in ${counted(files, 'file')}`;
  if (faults.length > 0) {
    const lines = faults.map((fault) => `${style('red', 'error:')} ${printable(faultText(fault))}`);
    return [...lines, `${style('red', '✗')} ${counted(faults.length, 'fault')}; no test was run`].join('\n');
  }
  const failed = results.filter((result) => !result.passed);
  if (failed.length === 0) return `${style('green', '✓')} ${counted(results.length, 'question')}${where}: passed`;
  const summary = `${style('red', '✗')} ${failed.length.toLocaleString('en')} of ${counted(results.length, 'question')}${where} failed`;
  return [...failed.flatMap((result) => failure(result, style)), summary].join('\n');
}

function failure(result: CaseResult, style: Style): string[] {
  const { file, line, column, test, question, expected, actual, reason } = result;
  return [
    `${style('bold', printable(`${file}:${line}:${column}:`))} ${style('red', 'failed:')} ${printable(`${test}: ${question}`)}`,
    `  expected  ${printable(expected)}`,
    `  actual    ${printable(actual)}`,
    ...(reason === undefined ? [] : [`  reason    ${printable(reason)}`]),
  ];
}
