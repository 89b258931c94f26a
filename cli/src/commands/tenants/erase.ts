import { string as stringArgument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../../config/connect.js';
import { nameArgument } from '../../credentials/name-argument.js';
import { Declined, UsageError } from '../../errors/usage-error.js';
import { ask, canAsk } from '../../output/ask.js';
import { err } from '../../output/terminal.js';
import { counted } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class TenantsErase extends ServiceCommand {
  static override summary = "Erase a person's properties from the history of a tenant.";
  static override description =
    `Needs an operator credential. Removes the values from every past version of the subject, so that no copy is left in \
the database file; remove them from the present record first, or it is refused. Backups made before still have them. The \
revisions of then can no longer be proven by their digests, and conditions that read the values may be decided otherwise. \
"servicectl audit --tenants" shows what was erased, without the values.

Asks you to repeat the subject; in a script, pass --yes.`;
  static override examples = [
    { description: 'All properties, and the name', command: 'servicectl tenants erase acme user/alice' },
    {
      description: 'Some properties',
      command: 'servicectl tenants erase acme user/alice --property email --property phone',
    },
  ];
  static override args = {
    name: nameArgument('The name of the tenant.'),
    subject: stringArgument({ description: 'The subject, as TYPE/ID.', required: true, ignoreStdin: true }),
  };
  static override flags = {
    property: string({
      description: 'Only this property; may be repeated.',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
    }),
    yes: boolean({ char: 'y', description: 'Do not ask for confirmation.' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(TenantsErase);
    const { name, subject } = args;
    if (!flags.yes) await confirm(name, subject);
    const client = await connect(flags);
    const erasure = { subject, properties: flags.property };
    const { versions, absent } = await client.tenants.erase(name, erasure, { signal: this.signal });
    if (absent.length > 0) {
      await err.warning(
        `No past version of ${subject} has ${quoted(absent)}: it was erased before, as \
"servicectl audit --tenants" shows, or is called otherwise.`,
      );
    }
    const taken = flags.property?.filter((property) => !absent.includes(property));
    const what = taken === undefined ? 'all properties and the name' : quoted(taken);
    return {
      json: { erased: subject, versions, absent },
      text:
        versions === 0
          ? `There was nothing to erase from the history of ${subject} in "${name}".`
          : `Erased ${what} of ${subject} from ${counted(versions, 'past version')} in "${name}".`,
    };
  }
}

function quoted(properties: readonly string[]): string {
  return properties.map((property) => `"${property}"`).join(', ');
}

async function confirm(name: string, subject: string): Promise<void> {
  if (!canAsk()) throw new UsageError('Erasing history cannot be undone: without a terminal, pass --yes.');
  const typed = await ask(
    err.style(
      'bold',
      `This erases properties of ${subject} from the history of "${name}". Type the subject to continue: `,
    ),
  );
  if (typed.trim() !== subject) throw new Declined('That is another subject: nothing was erased.');
}
