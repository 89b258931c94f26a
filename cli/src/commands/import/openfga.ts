import { string as stringArgument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { UsageError } from '../../errors/usage-error.js';
import { writeTree } from '../../export/write-tree.js';
import { counted } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class ImportOpenfga extends ServiceCommand {
  static override summary = 'Translate an OpenFGA store into a tree of records and its tests, offline.';
  static override description =
    `Reads a store file as the "fga" command line takes it: the model (inline, a file, or modules), the tuples (inline, \
or files in YAML, JSON or CSV) and the tests. It writes the same access as records: a role for each relation, a role on \
a resource for each tuple, policies that say which relation implies which. The store's assertions become tests, which \
"servicectl test" runs.

What cannot be said exactly (intersections, exclusions, some conditions) is refused with its line, and nothing is \
written. docs/openfga.md says how each construct is translated.`;
  static override examples = [
    {
      description: 'Translate a store and run its assertions',
      command: 'servicectl import openfga store.fga.yaml --out tenant && servicectl test tenant',
    },
  ];
  static override args = {
    store: stringArgument({ description: 'The store file: STORE.fga.yaml.', required: true, ignoreStdin: true }),
  };
  static override flags = {
    out: string({ description: 'The folder to write to.', helpValue: 'DIR', default: 'tenant' }),
    replace: boolean({ description: 'Remove the YAML files that the folder holds.' }),
    application: string({
      description: 'The application that the types and roles belong to; also the name of the stack.',
      helpValue: 'NAME',
      default: 'fga',
    }),
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(ImportOpenfga);
    if (!/^[A-Za-z][\w-]*$/.test(flags.application)) {
      throw new UsageError(`--application "${flags.application}" is no name: write letters, digits, "-" and "_".`);
    }
    const [{ readStore }, { translateStore }] = await Promise.all([
      import('../../openfga/read-store.js'),
      import('../../openfga/translate-store.js'),
    ]);
    const store = await readStore(args.store);
    const { files, records, assertions, inherited } = translateStore(store, flags.application, args.store);
    const written = await writeTree(flags.out, files, { replace: flags.replace });
    return {
      json: { records, assertions, inherited, files: written },
      text: `Wrote ${counted(records, 'record')} and ${counted(assertions, 'assertion')} to ${flags.out}, in ${counted(files.length, 'file')}.`,
    };
  }
}
