import { faultText } from '@authz-service/core/manifest/manifest';
import type { CaseResult, TestReport } from '@authz-service/core/questions/policy-tests/run-tests';
import { xml } from '../output/xml.js';

/** The report as CI systems read it: a suite for each file, a case for each question, faults as errors. */
export function junitText({ faults, results }: TestReport): string {
  const files = new Map<string, CaseResult[]>();
  for (const result of results) {
    const list = files.get(result.file);
    if (list === undefined) files.set(result.file, [result]);
    else list.push(result);
  }
  const failures = results.filter(({ passed }) => !passed).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${results.length + faults.length}" failures="${failures}" errors="${faults.length}">`,
    ...[...files].flatMap(([file, list]) => suite(file, list)),
    ...(faults.length === 0 ? [] : faultSuite(faults)),
    '</testsuites>',
    '',
  ].join('\n');
}

function suite(file: string, results: readonly CaseResult[]): string[] {
  const failures = results.filter(({ passed }) => !passed).length;
  return [
    `  <testsuite name="${xml(file)}" tests="${results.length}" failures="${failures}" errors="0">`,
    ...results.map(testCase),
    '  </testsuite>',
  ];
}

function testCase({ file, line, column, test, question, passed, expected, actual, reason = '' }: CaseResult): string {
  const name = `${test}: ${question}`;
  const start = `    <testcase classname="${xml(file)}" name="${xml(name)}" file="${xml(file)}" line="${line}"`;
  if (passed) return `${start}/>`;
  const message = `expected ${expected}, and it is ${actual}`;
  const text = `${file}:${line}:${column}: ${reason}`;
  return `${start}>\n      <failure message="${xml(message)}">${xml(text)}</failure>\n    </testcase>`;
}

function faultSuite(faults: TestReport['faults']): string[] {
  return [
    `  <testsuite name="faults" tests="${faults.length}" failures="0" errors="${faults.length}">`,
    ...faults.map((fault) => {
      const { file, line, detail } = fault;
      const start = `    <testcase classname="${xml(file)}" name="${xml(`line ${line}`)}" file="${xml(file)}" line="${line}">`;
      return `${start}\n      <error message="${xml(detail)}">${xml(faultText(fault))}</error>\n    </testcase>`;
    }),
    '  </testsuite>',
  ];
}
