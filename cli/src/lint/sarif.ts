import { createHash } from 'node:crypto';
import { LINT_RULES } from '@authz-service/core/questions/lint/lint-finding';
import { IDLE_COMMENT, IDLE_COMMENT_TEXT, type PlacedFinding } from '@authz-service/core/questions/lint/linted';
import { sarifLog, sarifUri } from '../output/sarif.js';

const RULES: readonly (readonly [id: string, text: string])[] = [
  ...Object.entries(LINT_RULES),
  [IDLE_COMMENT, IDLE_COMMENT_TEXT],
];

/**
 * Findings as SARIF: what is proven as warnings, what is suspected as notes, what a comment accepts as suppressed. A
 * fingerprint hangs on what a finding says and not on where it stands. In a file that is `lineless`, like a Terraform plan,
 * the address says where it is.
 */
export function sarifText(findings: readonly PlacedFinding[], version: string, lineless?: string): string {
  const rules = RULES.map(([id, text]) => ({ id, shortDescription: { text } }));
  return sarifLog({ command: 'lint', version, rules, results: findings.map((one) => result(one, lineless)) });
}

function result(finding: PlacedFinding, lineless: string | undefined): object {
  const { rule, certainty, address, file, line, column, detail, accepted } = finding;
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([rule, address, detail]))
    .digest('hex');
  return {
    ruleId: rule,
    ruleIndex: RULES.findIndex(([id]) => id === rule),
    level: certainty === 'proven' ? 'warning' : 'note',
    message: { text: address === undefined ? detail : `${address}: ${detail}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: sarifUri(file) },
          ...(file !== lineless && { region: { startLine: line, startColumn: column } }),
        },
        ...(address !== undefined && { logicalLocations: [{ fullyQualifiedName: address, kind: 'object' }] }),
      },
    ],
    partialFingerprints: { 'lintFinding/v1': fingerprint },
    properties: { certainty },
    ...(accepted !== undefined && { suppressions: [{ kind: 'inSource', justification: accepted }] }),
  };
}
