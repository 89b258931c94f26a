import { string as stringArgument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { connectionFlags } from '../../config/connect.js';
import { err } from '../../output/terminal.js';
import { counted, printable } from '../../output/text.js';
import { withDirectoryKey } from '../../people/directory-key.js';
import type { ImportResult, PeoplePlan } from '../../people/import-people.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

const SHOWN_MAX = 20;

export default class ImportPeople extends ServiceCommand {
  static override summary = 'Make the people of a directory those of a file.';
  static override description =
    `For sources without SCIM, such as an export of personnel data; run it again by a schedule. The credential is the key of the \
directory, or with --directory one that may make such a key. The file is CSV with a head, or JSON \
lines (.jsonl). The columns are SCIM attributes: "userName", which every person has, "displayName", "active", "department", 'emails[type \
eq "work"].value'. The mapping of the directory says which of them are kept. With --groups, a second file with the columns "group" and \
"member" says who is in which group.

A key that --directory has made is left behind only where the run is killed or the cloud is gone. Nobody has its secret then, \
it expires after 24 hours, and "servicectl keys list" shows it as "import-…".

Whoever is not in the file is removed, by the brake of the directory: what that holds is listed, and the exit code is 1. \
A file without rows is refused. Exit code 0 means that all is as in the files.`;
  static override examples = [
    { description: 'What it would do', command: 'servicectl import people users.csv --dry-run' },
    {
      description: 'People and groups',
      command: 'servicectl import people users.csv --groups memberships.csv --directory hr',
    },
  ];
  static override args = {
    file: stringArgument({ description: 'The file of people.', required: true, ignoreStdin: true }),
  };
  static override flags = {
    groups: string({ description: 'The file of memberships; without it, groups stay as they are.', helpValue: 'FILE' }),
    directory: string({
      description: 'Make a key of this directory for the run, and delete it afterwards; needs the scope "credentials".',
      helpValue: 'NAME',
    }),
    'dry-run': boolean({ description: 'Show what would be added and removed, and change nothing.' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(ImportPeople);
    const [{ readRows }, { PeopleImport }] = await Promise.all([
      import('../../people/read-people.js'),
      import('../../people/import-people.js'),
    ]);
    const rows = await readRows(args.file);
    const memberships = flags.groups === undefined ? undefined : await readRows(flags.groups);
    return await withDirectoryKey(flags, this.signal, async (client) => {
      const order = await PeopleImport.prepare(client, rows, memberships, this.signal);
      const plan = order.plan();
      if (flags['dry-run']) return { json: { plan }, text: planText(plan) };
      await err.line(planText(plan));
      const result = await order.run();
      return { json: { plan, ...result }, text: resultText(result), exitCode: result.failed.length > 0 ? 1 : 0 };
    });
  }
}

function planText({ groups, ...people }: PeoplePlan): string {
  const lines = (what: string, { add, update, remove }: Omit<PeoplePlan, 'groups'>) => [
    `${what}: ${add.length} to add, ${update.length} known, ${remove.length} to remove`,
    ...listed('+', add),
    ...listed('-', remove),
  ];
  return [...lines('People', people), ...(groups ? lines('Groups', groups) : [])].join('\n');
}

function listed(mark: string, names: readonly string[]): string[] {
  const more = names.length - SHOWN_MAX;
  const shown = names.slice(0, SHOWN_MAX).map((name) => `  ${mark} ${printable(name)}`);
  return more > 0 ? [...shown, `  ${mark} … and ${more} more`] : shown;
}

function resultText({ done, failed }: ImportResult): string {
  const refused = failed.slice(0, SHOWN_MAX).map(({ name, detail }) => `  ! ${printable(name)}: ${printable(detail)}`);
  const more = failed.length > SHOWN_MAX ? [`  ! … and ${failed.length - SHOWN_MAX} more`] : [];
  const head = `${counted(done, 'request')} done, ${failed.length} refused.`;
  return [head, ...refused, ...more].join('\n');
}
