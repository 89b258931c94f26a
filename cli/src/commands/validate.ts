import {
  faultText,
  type Manifest,
  type ManifestFault,
  type ManifestResult,
} from '@authz-service/core/manifest/manifest';
import { boolean } from '@oclif/core/flags';
import { failureOf } from '../errors/failure.js';
import { Progress } from '../output/progress.js';
import { err, out, type Style } from '../output/terminal.js';
import { counted, printable } from '../output/text.js';
import { type Outcome, ServiceCommand } from '../service-command.js';
import { directory } from '../tree/directory-argument.js';
import { InvalidTree, readFolder } from '../tree/load-tree.js';

export default class Validate extends ServiceCommand {
  static override summary = 'Check a folder of YAML files, offline.';
  static override description =
    `Reads every *.yaml and *.yml below the folder (except hidden ones and node_modules) and reports all errors at \
once, each as file:line:column with the record, the value and the remedy. Needs no network and no \
credentials: run it before every commit.

Warnings do not make the check fail, unless you pass --strict.`;
  static override examples = [
    { description: 'Check the tree in this folder', command: 'servicectl validate' },
    { description: 'In a pipeline, warnings included', command: 'servicectl validate tenant --strict --json' },
  ];
  static override args = { dir: directory };
  static override flags = {
    strict: boolean({ description: 'Fail on warnings too.' }),
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Validate);
    const progress = new Progress(err);
    const { files, result } = await readFolder(args.dir, (text, long) => progress.step(text, long));
    progress.done();
    const { faults, manifest } = result;
    const warnings = [...result.warnings, ...(manifest === undefined ? [] : await brokenRules(manifest, result))];
    const failing = flags.strict ? [...faults, ...warnings] : faults;
    const valid = failing.length === 0;
    const records = manifest?.records.length ?? 0;
    const { errors: _, ...error } = failureOf(new InvalidTree(failing, args.dir), { flags: [] });
    return {
      json: { valid, files, records, faults, warnings, ...(!valid && { error: { ...error, errors: [] } }) },
      text: [
        ...faults.map((fault) => line(fault, out.style('red', 'error'), out.style)),
        ...warnings.map((warning) => line(warning, out.style('yellow', 'warning'), out.style)),
        summary({ files, records, faults: faults.length, warnings: warnings.length, valid }, out.style),
      ].join('\n'),
      exitCode: valid ? 0 : 1,
    };
  }
}

/** Returns what breaks the access rules of a tree, each at its rule. */
async function brokenRules({ records }: Manifest, { placeOf }: ManifestResult): Promise<ManifestFault[]> {
  if (!records.some(({ kind }) => kind === 'access_rule')) return [];
  const [{ violationsIn }, { violationText }] = await Promise.all([
    import('@authz-service/core/questions/access-rules/violations-in'),
    import('@authz-service/core/questions/access-rules/violation'),
  ]);
  return violationsIn(records, Date.now()).flatMap((violation) => {
    const place = placeOf(violation.rule);
    return place === undefined
      ? []
      : [{ ...place, address: violation.rule, detail: `${violation.rule}: ${violationText(violation)}` }];
  });
}

/** `file:line:column: error: detail`, which editors and problem matchers understand. */
function line(fault: ManifestFault, severity: string, style: Style): string {
  const place = `${fault.file}:${fault.line}:${fault.column}:`;
  return `${style('bold', printable(place))} ${severity}: ${printable(faultText(fault).slice(place.length + 1))}`;
}

function summary(
  found: { files: number; records: number; faults: number; warnings: number; valid: boolean },
  style: Style,
): string {
  const also = found.warnings === 0 ? '' : `, ${counted(found.warnings, 'warning')}`;
  const where = ` in ${counted(found.files, 'file')}`;
  if (found.valid) return `${style('green', '✓')} ${counted(found.records, 'record')}${where}: valid${also}`;
  return `${style('red', '✗')} ${counted(found.faults, 'fault')}${also}${where}`;
}
