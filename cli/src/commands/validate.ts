import {
  faultText,
  type Manifest,
  type ManifestFault,
  type ManifestResult,
} from '@authz-service/core/manifest/manifest';
import { byPlace } from '@authz-service/core/manifest/source';
import { boolean } from '@oclif/core/flags';
import { failureOf } from '../errors/failure.js';
import { Progress } from '../output/progress.js';
import { err, out, type Style } from '../output/terminal.js';
import { counted, printable } from '../output/text.js';
import { type Outcome, ServiceCommand } from '../service-command.js';
import { directory } from '../tree/directory-argument.js';
import { environmentFlag } from '../tree/environment-flag.js';
import { InvalidTree, type OnReading, readFolder } from '../tree/load-tree.js';

export default class Validate extends ServiceCommand {
  static override summary = 'Check a folder of YAML files, offline.';
  static override description =
    `Reads every *.yaml and *.yml below the folder (except hidden ones and node_modules) and reports all errors at \
once, each as file:line:column with the record, the value and the remedy. Needs no network and no \
credentials: run it before every commit.

If the tree has environments, it is checked in each of them, and by itself if all of its variables have defaults; -e names one.

Warnings do not make the check fail, unless you pass --strict.`;
  static override examples = [
    { description: 'Check the tree in this folder', command: 'servicectl validate' },
    { description: 'In a pipeline, warnings included', command: 'servicectl validate tenant --strict --json' },
  ];
  static override args = { dir: directory };
  static override flags = {
    environment: environmentFlag,
    strict: boolean({ description: 'Fail on warnings too.' }),
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Validate);
    const progress = new Progress(err);
    const checked = await this.#check(args.dir, flags.environment, (text, long) => progress.step(text, long));
    progress.done();
    const [{ files, records } = { files: 0, records: 0 }] = checked;
    const faults = together(checked.map((one) => one.faults));
    const warnings = together(checked.map((one) => one.warnings));
    const failing = flags.strict ? [...faults, ...warnings] : faults;
    const valid = failing.length === 0;
    const environments = checked.flatMap(({ environment, ...one }) =>
      environment === undefined
        ? []
        : [
            {
              name: environment,
              records: one.records,
              valid: (flags.strict ? [...one.faults, ...one.warnings] : one.faults).length === 0,
            },
          ],
    );
    const { errors: _, ...error } = failureOf(new InvalidTree(failing, args.dir), { flags: [] });
    return {
      json: {
        valid,
        files,
        records,
        faults,
        warnings,
        ...(environments.length > 0 && { environments }),
        ...(!valid && { error: { ...error, errors: [] } }),
      },
      text: [
        ...faults.map((fault) => line(fault, out.style('red', 'error'), out.style)),
        ...warnings.map((warning) => line(warning, out.style('yellow', 'warning'), out.style)),
        ...(flags.environment === undefined ? environments.map((one) => inEnvironment(one, out.style)) : []),
        summary({ files, records, faults: faults.length, warnings: warnings.length, valid }, out.style),
      ].join('\n'),
      exitCode: valid ? 0 : 1,
    };
  }

  /** Reads the tree in the environment that is named, or by itself and in each of its environments. */
  async #check(folder: string, environment: string | undefined, onProgress: OnReading): Promise<Checked[]> {
    const { environmentsIn } = await import('@authz-service/embedded/tree/read-tree');
    const base = await checkIn(folder, environment, onProgress);
    const names = environment === undefined ? await environmentsIn(folder) : [];
    const checked: Checked[] = base.needsEnvironment && names.length > 0 ? [] : [base];
    for (const name of names) checked.push(await checkIn(folder, name, onProgress));
    return checked;
  }
}

/** Findings in a tree as it is in one environment, or in none. */
interface Checked {
  environment?: string;
  files: number;
  records: number;
  faults: ManifestFault[];
  warnings: ManifestFault[];
}

/** Findings of several readings of one tree: what each of them finds at one place stands once. */
function together(lists: readonly ManifestFault[][]): ManifestFault[] {
  const found = new Map(lists.flat().map((fault) => [faultText(fault), fault]));
  return [...found.values()].sort(byPlace);
}

async function checkIn(
  folder: string,
  environment: string | undefined,
  onProgress: OnReading,
): Promise<Checked & { needsEnvironment: boolean }> {
  const { files, result } = await readFolder(folder, environment, onProgress);
  const { faults, manifest, needsEnvironment } = result;
  const warnings = [...result.warnings, ...(manifest === undefined ? [] : await brokenRules(manifest, result))];
  const records = manifest?.records.length ?? 0;
  return { ...(environment !== undefined && { environment }), files, records, faults, warnings, needsEnvironment };
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

function inEnvironment(
  { name, records, valid }: { name: string; records: number; valid: boolean },
  style: Style,
): string {
  return valid
    ? `${style('green', '✓')} in ${name}: ${counted(records, 'record')}`
    : `${style('red', '✗')} in ${name}: not valid`;
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
