import { createHash } from 'node:crypto';
import { LINT_RULES } from '@authz-service/core/lint/lint-finding';
import { IDLE_COMMENT, IDLE_COMMENT_TEXT, type PlacedFinding } from '@authz-service/core/lint/linted';

const RULES: readonly (readonly [id: string, text: string])[] = [
  ...Object.entries(LINT_RULES),
  [IDLE_COMMENT, IDLE_COMMENT_TEXT],
];

/**
 * Findings as SARIF 2.1.0 (OASIS), for code scanning: what is proven as warnings, what is suspected as notes, what a
 * comment accepts as suppressed. A fingerprint hangs on what a finding says and not on where it stands.
 */
export function sarifText(findings: readonly PlacedFinding[], version: string): string {
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'service lint',
            version,
            rules: RULES.map(([id, text]) => ({ id, shortDescription: { text } })),
          },
        },
        automationDetails: { id: 'service-lint/' },
        columnKind: 'utf16CodeUnits',
        results: findings.map(result),
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 1)}\n`;
}

function result({ rule, certainty, address, file, line, column, detail, accepted }: PlacedFinding): object {
  const uri = file.split('/').map(encodeURIComponent).join('/');
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
        physicalLocation: { artifactLocation: { uri }, region: { startLine: line, startColumn: column } },
        ...(address !== undefined && { logicalLocations: [{ fullyQualifiedName: address, kind: 'object' }] }),
      },
    ],
    partialFingerprints: { 'lintFinding/v1': fingerprint },
    properties: { certainty },
    ...(accepted !== undefined && { suppressions: [{ kind: 'inSource', justification: accepted }] }),
  };
}
