import type { PlacedFinding } from '@authz-service/core/lint/linted';
import { faultText } from '@authz-service/core/manifest/manifest';
import { boolean, string } from '@oclif/core/flags';
import { sarifText } from '../lint/sarif.js';
import { err, out, type Style } from '../output/terminal.js';
import { counted, printable } from '../output/text.js';
import { writeText } from '../output/write-text.js';
import { type Outcome, ServiceCommand } from '../service-command.js';
import { directory } from '../tree/directory-argument.js';
import { InvalidTree, parsedFiles } from '../tree/load-tree.js';

export default class Lint extends ServiceCommand {
  static override summary = 'Find what does nothing in a folder of YAML files, or likely not what was meant, offline.';
  static override description =
    `Finds policies that never apply or never decide, roles and groups that nobody has, links that have ended, conditions \
that are always the same, and attributes that look misspelt. A finding is proven if it holds for every request, and \
else suspected. A comment "# accept RULE: REASON" beside a record accepts it; docs/lint.md describes the rules.

The exit code is 1 if there is a proven finding that no comment accepts, and with --strict also on suspected ones.`;
  static override examples = [
    { description: 'Lint the tree in this folder', command: 'service lint' },
    {
      description: 'In a pipeline, with a report for code scanning',
      command: 'service lint tenant --sarif lint.sarif',
    },
  ];
  static override args = { dir: directory };
  static override flags = {
    sarif: string({ description: 'Write a report in the SARIF format, too.', helpValue: 'FILE' }),
    strict: boolean({ description: 'Fail on suspected findings too.' }),
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Lint);
    const now = Date.now();
    const [{ readTree }, { readManifest }, { lintTree }] = await Promise.all([
      import('@authz-service/provider/reconcile/read-tree'),
      import('@authz-service/core/manifest/read'),
      import('@authz-service/core/lint/linted'),
    ]);
    const files = await parsedFiles(await readTree(args.dir));
    // Without a clock, so that what has ended is a finding here and no warning of the reader.
    const tree = readManifest(files);
    for (const warning of tree.warnings)
      await err.line(`${err.style('yellow', 'warning:')} ${printable(faultText(warning))}`);
    if (tree.manifest === undefined) throw new InvalidTree(tree.faults, args.dir);
    const findings = lintTree(files, tree.manifest, tree, now);
    if (flags.sarif !== undefined) await writeText(flags.sarif, sarifText(findings, this.config.version));
    const open = findings.filter(({ accepted }) => accepted === undefined);
    const proven = open.filter(({ certainty }) => certainty === 'proven').length;
    const suspected = open.length - proven;
    const accepted = findings.length - open.length;
    const clean = proven === 0 && (!flags.strict || suspected === 0);
    return {
      json: { files: files.length, proven, suspected, accepted, findings },
      text: [
        ...open.map((finding) => line(finding, out.style)),
        summary({ files: files.length, proven, suspected, accepted, clean }, out.style),
      ].join('\n'),
      exitCode: clean ? 0 : 1,
    };
  }
}

/** `file:line:column: proven: detail (rule)`, which editors and problem matchers understand. */
function line({ file, line: row, column, certainty, address, detail, rule }: PlacedFinding, style: Style): string {
  const about = address === undefined ? '' : `${address}: `;
  const word = style(certainty === 'proven' ? 'red' : 'yellow', certainty);
  return `${style('bold', printable(`${file}:${row}:${column}:`))} ${word}: ${printable(about + detail)} (${rule})`;
}

function summary(
  found: { files: number; proven: number; suspected: number; accepted: number; clean: boolean },
  style: Style,
): string {
  const { files, proven, suspected, accepted, clean } = found;
  const parts = [
    `${proven.toLocaleString('en')} proven`,
    `${suspected.toLocaleString('en')} suspected`,
    ...(accepted > 0 ? [`${accepted.toLocaleString('en')} accepted`] : []),
  ];
  return `${clean ? style('green', '✓') : style('red', '✗')} ${parts.join(', ')} in ${counted(files, 'file')}`;
}
