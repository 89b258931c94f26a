import { realpath } from 'node:fs/promises';
import { string as stringArgument } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { replaceFiles } from '../output/replace-files.js';
import { counted, printable } from '../output/text.js';
import { type Outcome, ServiceCommand } from '../service-command.js';
import { InvalidTree } from '../tree/load-tree.js';
import { relativePath } from '../tree/relative-path.js';

export default class Fmt extends ServiceCommand {
  static override summary = 'Write the YAML files of a tree in one style.';
  static override description =
    `Puts kinds, and the fields of records, tests and environments, into the order in which "servicectl export" writes \
them; indents by two spaces, and takes away quotes that nobody needs. Records stay in the order that they have, and so do \
comments, blank lines, and mappings that are written over several lines. What lies on one line is opened if it has more \
than 120 characters. What the files declare stays the same.

Nothing is written if one of the files is not YAML or belongs to another program.`;
  static override examples = [
    { description: 'The tree in this folder', command: 'servicectl fmt' },
    { description: 'In a pipeline: name what is not formatted, and fail', command: 'servicectl fmt tenant --check' },
    { description: 'Two files', command: 'servicectl fmt tenant/billing.yaml tenant/environments/prod.yaml' },
  ];
  static override strict = false;
  static override args = {
    path: stringArgument({
      description: 'A folder of YAML files, or one file; this folder unless given. More may follow.',
      default: '.',
      ignoreStdin: true,
    }),
  };
  static override flags = {
    check: boolean({ description: 'Write nothing, and exit with 1 if a file is not formatted.' }),
  };

  override async run(): Promise<Outcome> {
    const { args, argv, flags } = await this.parse(Fmt);
    const paths = argv.length > 0 ? (argv as string[]) : [args.path];
    const [{ readAllFiles }, { formatFiles }] = await Promise.all([
      import('@authz-service/embedded/tree/read-tree'),
      import('@authz-service/core/format/format-files'),
    ]);
    const read = (await Promise.all(paths.map((path) => readAllFiles(path)))).flat();
    // A file may be reached by several paths, and by links.
    const files = new Map<string, (typeof read)[number]>();
    for (const one of read) files.set(await realpath(one.file.path), one);
    const given = [...files.values()].map(({ file, kind }) => ({ ...file, path: relativePath(file.path), kind }));
    const { faults, changed } = formatFiles(given);
    if (faults.length > 0) throw new InvalidTree(faults, paths.join(' '));
    const before = new Map(given.map(({ path, text }) => [path, text]));
    if (!flags.check) await replaceFiles(changed.map((file) => ({ ...file, before: before.get(file.path) ?? '' })));
    const names = changed.map(({ path }) => path);
    return {
      json: { files: given.length, changed: names, written: !flags.check },
      text: [...names.map(printable), summary(given.length, names.length, flags.check)].join('\n'),
      exitCode: flags.check && names.length > 0 ? 1 : 0,
    };
  }
}

function summary(files: number, changed: number, isCheck: boolean): string {
  if (changed === 0) return `${counted(files, 'file')}: all formatted.`;
  const of = `${changed} of ${counted(files, 'file')}`;
  return isCheck ? `${of} not formatted: run "servicectl fmt".` : `Formatted ${of}.`;
}
