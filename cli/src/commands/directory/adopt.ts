import { splitAddress } from '@authz-service/core/records/address';
import { string as stringArgument } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { connect, connectionFlags } from '../../config/connect.js';
import { nameArgument } from '../../credentials/name-argument.js';
import { Declined, UsageError } from '../../errors/usage-error.js';
import { ask, canAsk } from '../../output/ask.js';
import { err } from '../../output/terminal.js';
import { counted } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

const OWNED = ['subject', 'group', 'group_membership'] as const;

export default class DirectoryAdopt extends ServiceCommand {
  static override summary = 'Hand people, groups and memberships of a stack over to a directory.';
  static override description =
    'Shows each record with its present owner, and asks; in a script, pass --yes. The directory takes a record up when it next sends \
it. Take it out of the tree or the configuration that has declared it, too, and refer to it there as external.';
  static override examples = [
    {
      description: 'A person',
      command: 'servicectl directory adopt okta subject/user/alice',
    },
    {
      description: 'A group and a membership',
      command: 'servicectl directory adopt okta group/finance group_membership/finance//subject/user/alice --yes',
    },
  ];
  static override strict = false;
  static override args = {
    name: nameArgument('The name of the directory.'),
    address: stringArgument({
      description: 'The address of a record: subject/user/alice. More may follow.',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    yes: boolean({ char: 'y', description: 'Do not ask for confirmation.' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, argv, flags } = await this.parse(DirectoryAdopt);
    const addresses = [...new Set((argv as string[]).slice(1))];
    const client = await connect(flags);
    const options = { signal: this.signal };
    const plan: string[] = [];
    for (const address of addresses) {
      const { kind, path } = splitAddress(address);
      const owned = OWNED.find((one) => one === kind);
      if (owned === undefined)
        throw new UsageError(`"${address}" is no subject, group or membership: a directory owns nothing else.`);
      const { managed_by: owner } = await client.records(owned).get(path, options);
      if (owner !== `directory/${args.name}`) plan.push(`  ~ ${address}, taken over from "${owner}"`);
    }
    if (plan.length === 0)
      return {
        json: { adopted: [] },
        text: `Nothing to do: the directory "${args.name}" owns ${addresses.length === 1 ? 'it' : 'them'} already.`,
      };
    await err.line([`The directory "${args.name}" takes over:`, ...plan].join('\n'));
    if (!flags.yes) await confirm(args.name);
    const { revision, adopted } = await client.directories.adopt(args.name, { addresses }, options);
    return {
      json: { revision, adopted },
      text: `The directory "${args.name}" owns ${counted(adopted.length, 'more record')}: revision ${revision}.`,
    };
  }
}

async function confirm(name: string): Promise<void> {
  if (!canAsk())
    throw new UsageError(`Nothing was handed over to the directory "${name}": without a terminal, pass --yes.`);
  const typed = await ask(err.style('bold', 'Only "yes" is accepted: '));
  if (typed.trim() !== 'yes') throw new Declined('Nothing was handed over.');
}
