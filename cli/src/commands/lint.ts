import { faultText } from '@authz-service/core/manifest/manifest';
import type { PlacedFinding } from '@authz-service/core/questions/lint/linted';
import { boolean, string } from '@oclif/core/flags';
import { type LintedTree, lintedTree } from '../lint/linted-tree.js';
import { sarifText } from '../lint/sarif.js';
import { err, out, type Style } from '../output/terminal.js';
import { counted, printable } from '../output/text.js';
import { writeText } from '../output/write-text.js';
import { type Outcome, ServiceCommand } from '../service-command.js';
import { directory } from '../tree/directory-argument.js';
import { environmentFlag } from '../tree/environment-flag.js';
import { InvalidTree } from '../tree/load-tree.js';

export default class Lint extends ServiceCommand {
  static override summary = 'Find what is unused in a folder of YAML files, and likely mistakes, offline.';
  static override description =
    `Finds policies that never apply or never decide, roles and groups that nobody has, links that have ended, conditions \
that are always the same, and attributes that look misspelt. A finding is proven if it holds for every request, and \
else suspected. A comment "# accept RULE: REASON" beside a record accepts it; docs/lint.md describes the rules.

The exit code is 1 if there is a proven finding that no comment accepts, and with --strict also on suspected ones.`;
  static override examples = [
    { description: 'Lint the tree in this folder', command: 'servicectl lint' },
    {
      description: 'In a pipeline, with a report for code scanning',
      command: 'servicectl lint tenant --sarif lint.sarif',
    },
    {
      description: 'Lint what a Terraform plan would make',
      command: 'terraform show -json plan.bin > plan.json && servicectl lint --terraform plan.json',
    },
  ];
  static override args = { dir: directory };
  static override flags = {
    environment: environmentFlag,
    terraform: string({
      description: 'Look at the records of a Terraform plan or state, as "terraform show -json" prints it, instead.',
      helpValue: 'FILE',
      exclusive: ['environment'],
    }),
    sarif: string({ description: 'Write a report in the SARIF format, too.', helpValue: 'FILE' }),
    strict: boolean({ description: 'Fail on suspected findings too.' }),
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Lint);
    const now = Date.now();
    const { lintTree } = await import('@authz-service/core/questions/lint/linted');
    const { files, tree, gaps, lineless } =
      flags.terraform === undefined ? await lintedTree(args.dir, flags.environment) : await shownIn(flags.terraform);
    for (const gap of gaps) await err.warning(gap);
    for (const warning of tree.warnings) await err.warning(faultText(warning));
    if (tree.manifest === undefined) throw new InvalidTree(tree.faults, args.dir);
    const sources = flags.terraform === undefined ? files.length : 1;
    const findings = lintTree(files, tree.manifest, tree, now);
    if (flags.sarif !== undefined) await writeText(flags.sarif, sarifText(findings, this.config.version, lineless));
    const open = findings.filter(({ accepted }) => accepted === undefined);
    const proven = open.filter(({ certainty }) => certainty === 'proven').length;
    const suspected = open.length - proven;
    const accepted = findings.length - open.length;
    const clean = proven === 0 && (!flags.strict || suspected === 0);
    return {
      json: { files: sources, proven, suspected, accepted, findings },
      text: [
        ...open.map((finding) => line(finding, lineless, out.style)),
        summary({ files: sources, proven, suspected, accepted, clean }, out.style),
      ].join('\n'),
      exitCode: clean ? 0 : 1,
    };
  }
}

async function shownIn(file: string): Promise<LintedTree> {
  const { shownRecords } = await import('../impact/sources/shown-records.js');
  const { records, gaps, lineless } = await shownRecords(file);
  return { files: [], tree: records, gaps, lineless };
}

/** `file:line:column: proven: detail (rule)`, which editors and problem matchers understand. */
function line(finding: PlacedFinding, lineless: string | undefined, style: Style): string {
  const { file, line: row, column, certainty, address, detail, rule } = finding;
  const about = address === undefined ? '' : `${address}: `;
  const word = style(certainty === 'proven' ? 'red' : 'yellow', certainty);
  const place = file === lineless ? `${file}:` : `${file}:${row}:${column}:`;
  return `${style('bold', printable(place))} ${word}: ${printable(about + detail)} (${rule})`;
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
