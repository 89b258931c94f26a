import type { CauseRecord, FindingChange } from '@authz-service/core/questions/impact/api/finding';
import {
  type AccessReport,
  type ReportedFinding,
  widens,
} from '@authz-service/core/questions/impact/report/access-report';
import { risksOf } from '@authz-service/core/questions/impact/report/by-cause';
import { plain } from '@authz-service/core/questions/impact/report/render-access-text';
import { sentence } from '@authz-service/core/questions/impact/report/sentence';
import { sarifLog, sarifUri } from '../output/sarif.js';

const RULES: { readonly [C in FindingChange]: string } = {
  gained: 'Somebody may do what nobody of them could before.',
  lost: 'Somebody may no longer do what they could before.',
  widened: 'Access that depends on the request is given in more cases than before.',
  narrowed: 'Access that depends on the request is given in fewer cases than before.',
  changed: 'Access that depends on the request is given in other cases than before.',
  unknown: 'Whether access is given in more cases than before cannot be said.',
};
const CHANGES = Object.keys(RULES) as FindingChange[];

/**
 * The findings as SARIF: one rule for each change, the places of the causes, and a fingerprint that hangs on what a
 * finding says. A finding that a gate refuses is an error. With `countsOnly` a message names nobody and nothing.
 */
export function sarifText(report: AccessReport, version: string, countsOnly: boolean): string {
  const refused = new Set((report.gates ?? []).flatMap(({ passed, findings }) => (passed ? [] : findings)));
  return sarifLog({
    command: 'impact',
    version,
    rules: CHANGES.map((change) => ({
      id: ruleOf(change),
      shortDescription: { text: RULES[change] },
      defaultConfiguration: { level: widens({ change }) ? 'warning' : 'note' },
      properties: { tags: ['security', 'access'] },
    })),
    results: report.findings.map((finding) => result(finding, refused.has(finding.id), countsOnly)),
  });
}

function ruleOf(change: FindingChange): string {
  return `access-${change}`;
}

function result(finding: ReportedFinding, refused: boolean, countsOnly: boolean): object {
  const { id, change, triples, exact, causes, acknowledged } = finding;
  const { who, does } = sentence(finding);
  const places = new Map(causes.flat().map((cause) => [cause.address, cause]));
  return {
    ruleId: ruleOf(change),
    ruleIndex: CHANGES.indexOf(change),
    level: refused ? 'error' : widens(finding) ? 'warning' : 'note',
    message: { text: countsOnly ? RULES[change] : `${plain(who)}${plain(does)}.` },
    locations: [...places.values()].map((cause) => location(cause, countsOnly)),
    fingerprints: { 'accessFinding/v1': id },
    partialFingerprints: { 'accessFinding/v1': id },
    properties: { triples, exact, risks: risksOf(finding) },
    ...(acknowledged && { suppressions: [{ kind: 'external', status: 'accepted' }] }),
  };
}

function location({ address, file, line }: CauseRecord, countsOnly: boolean): object {
  return {
    ...(file !== undefined && {
      physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line ?? 1 } },
    }),
    ...(!countsOnly && { logicalLocations: [{ fullyQualifiedName: address, kind: 'object' }] }),
  };
}

/** A path from the top of the repository as a URI; a Git revision before it does not belong to it. */
function uriOf(file: string): string {
  return sarifUri(file.replace(/^[^/:]+(?:\/[^:]*)?:(?!\/)/, ''));
}
