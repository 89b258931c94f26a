import type { AccessReport, NoAccessReport } from '@authz-service/core/questions/impact/report/access-report';
import { renderAccessText } from '@authz-service/core/questions/impact/report/render-access-text';
import type { DirectoryPlan } from '@authz-service/sdk/wire';
import { string as stringArgument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../../config/connect.js';
import type { ConnectionFlags } from '../../config/connection.js';
import { err, out } from '../../output/terminal.js';
import { counted, printable } from '../../output/text.js';
import { withDirectoryKey } from '../../people/directory-key.js';
import type { ImportResult, PeopleImport as Order, PeoplePlan } from '../../people/import-people.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

const SHOWN_MAX = 20;

export default class ImportPeople extends ServiceCommand {
  static override summary = 'Make the people of a directory those of a file.';
  static override description =
    `For sources without SCIM, such as an export of personnel data; run it again by a schedule. The credential is the key of the \
directory, or with --directory one that may make such a key. The file is CSV with a head, JSON \
lines (.jsonl), or LDIF as slapcat prints it (.ldif). The columns are SCIM attributes: "userName", which every person has, "displayName", \
"active", "department", 'emails[type eq "work"].value'. The mapping of the directory says which of them are kept. With --groups, a \
second file with the columns "group" and "member" says who is in which group; of LDIF it can be the same file.

--dry-run with --directory says who would gain and lose access, and what would be refused or held.

A key that --directory has made is left behind only where the run is killed or the cloud is gone. Nobody has its secret then, \
it expires after 24 hours, and "servicectl keys list" shows it as "import-…".

Whoever is not in the file is removed, by the brake of the directory: what that holds is listed, and the exit code is 1. \
A file without rows is refused. Exit code 0 means that all is as in the files.`;
  static override examples = [
    {
      description: 'What it would do, to access, too',
      command: 'servicectl import people users.csv --directory hr --dry-run',
    },
    {
      description: 'People and groups of LDAP',
      command: 'servicectl import people ldap.ldif --groups ldap.ldif --directory ldap',
    },
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
    'dry-run': boolean({
      description: 'Show what would be added and removed and what that does to access, and change nothing.',
    }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(ImportPeople);
    const [{ readPeople }, { PeopleImport }] = await Promise.all([
      import('../../people/read-people.js'),
      import('../../people/import-people.js'),
    ]);
    const { people, memberships, others } = await readPeople(args.file, flags.groups);
    if (others.length > 0) await err.warning(othersText(others));
    return await withDirectoryKey(flags, this.signal, async (client) => {
      const order = await PeopleImport.prepare(client, people, memberships, this.signal);
      const plan = order.plan();
      if (flags['dry-run']) {
        const effect = await this.#effect(flags, order);
        return { json: { plan, ...effect }, text: [planText(plan), ...effectLines(effect)].join('\n') };
      }
      await err.line(planText(plan));
      const result = await order.run();
      return { json: { plan, ...result }, text: resultText(result), exitCode: result.failed.length > 0 ? 1 : 0 };
    });
  }

  /** The effect on access, for a credential that may know it: the key of a directory may not. */
  async #effect(flags: ConnectionFlags & { directory?: string | undefined }, order: Order): Promise<Effect> {
    const { directory } = flags;
    if (directory === undefined) {
      const unavailable =
        'The key of a directory may not read access: name the directory by --directory, with a credential that may.';
      return { refused: [], violations: [], access: { unavailable } };
    }
    const operations = order.operations();
    const sent = operations.map(({ name: _, ...operation }) => operation);
    const { refused, violations, access } = await (await connect(flags)).directories.plan(directory, sent, {
      signal: this.signal,
    });
    return {
      refused: refused.map(({ operation, detail }) => ({ name: operations[operation]?.name ?? '', detail })),
      violations,
      access: access as AccessReport,
    };
  }
}

/** The effect of a run beyond its plan. */
interface Effect {
  refused: ImportResult['failed'];
  violations: DirectoryPlan['violations'];
  access: AccessReport | NoAccessReport;
}

function effectLines({ refused, violations, access }: Effect): string[] {
  return [
    ...(refused.length > 0 ? [`Refused or held now: ${refused.length}`, ...refusedLines(refused)] : []),
    ...violations.map(({ rule, mode, detail }) => `Breaks the access rule "${rule}" (${mode}): ${printable(detail)}`),
    '',
    ...renderAccessText(access, { style: out.style }),
  ];
}

function othersText(others: readonly string[]): string {
  const more = others.length > SHOWN_MAX ? `, and ${others.length - SHOWN_MAX} more` : '';
  const shown = others.slice(0, SHOWN_MAX).map(printable).join(', ');
  return `Left out as members that are no people of the file: ${shown}${more}.`;
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
  return [`${counted(done, 'request')} done, ${failed.length} refused.`, ...refusedLines(failed)].join('\n');
}

function refusedLines(failed: ImportResult['failed']): string[] {
  const refused = failed.slice(0, SHOWN_MAX).map(({ name, detail }) => `  ! ${printable(name)}: ${printable(detail)}`);
  return failed.length > SHOWN_MAX ? [...refused, `  ! … and ${failed.length - SHOWN_MAX} more`] : refused;
}
