import { append } from '@authz-service/core/collections/append';
import { type AccessReport, widens } from '@authz-service/core/questions/impact/report/access-report';
import { plain } from '@authz-service/core/questions/impact/report/render-access-text';
import { causePhrase, sentence } from '@authz-service/core/questions/impact/report/sentence';
import { gateText } from '@authz-service/core/questions/impact/report/summary';
import { xml } from '../output/xml.js';

/** The gates as a suite of test cases, and the findings as another, of which fail those that a gate refuses. */
export function accessJunitText({ gates = [], findings }: AccessReport, countsOnly: boolean): string {
  const refusing = new Map<string, string[]>();
  for (const { gate, passed, findings: ids } of gates) {
    for (const id of passed ? [] : ids) append(refusing, id, gate);
  }
  const gateCases = gates.map((result) => {
    const start = `    <testcase classname="access" name="${xml(result.gate)}"`;
    return result.passed ? `${start}/>` : failing(start, gateText(result, countsOnly), '');
  });
  const findingCases = findings.map((finding) => {
    const { who, does } = sentence(finding);
    const name = countsOnly ? `${finding.change} ${finding.id}` : `${plain(who)}${plain(does)}`;
    const [cause = []] = finding.causes;
    const place = cause.find(({ file }) => file !== undefined);
    const at = place === undefined ? '' : ` file="${xml(place.file ?? '')}" line="${place.line ?? 1}"`;
    const start = `    <testcase classname="access.${widens(finding) ? 'gain' : 'loss'}" name="${xml(name)}"${at}`;
    const refusedBy = refusing.get(finding.id);
    if (refusedBy === undefined) return `${start}/>`;
    const message = `refused by --${refusedBy.join(' and --')}`;
    return failing(start, message, countsOnly ? '' : plain(causePhrase(cause)));
  });
  const failures = gates.filter(({ passed }) => !passed).length;
  const tests = gates.length + findings.length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${tests}" failures="${failures + refusing.size}" errors="0">`,
    ...suite('gates', gateCases, failures),
    ...suite('access', findingCases, refusing.size),
    '</testsuites>',
    '',
  ].join('\n');
}

function suite(name: string, cases: readonly string[], failures: number): string[] {
  const head = `  <testsuite name="${name}" tests="${cases.length}" failures="${failures}" errors="0">`;
  return cases.length === 0 ? [] : [head, ...cases, '  </testsuite>'];
}

function failing(start: string, message: string, text: string): string {
  return `${start}>\n      <failure message="${xml(message)}">${xml(text)}</failure>\n    </testcase>`;
}
