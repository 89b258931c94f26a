/** The common parts of one command's findings as a SARIF log. */
interface SarifRun {
  /** The name of the command: `lint`. */
  command: string;
  version: string;
  rules: readonly object[];
  results: readonly object[];
}

/** Findings as SARIF 2.1.0 (OASIS), for code scanning. */
export function sarifLog({ command, version, rules, results }: SarifRun): string {
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: `servicectl ${command}`, version, rules } },
        automationDetails: { id: `service-${command}/` },
        columnKind: 'utf16CodeUnits',
        results,
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 1)}\n`;
}

/** A relative path as a URI. */
export function sarifUri(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
