import { boolean } from '@oclif/core/flags';
import { connect, connectionFlags } from '../../config/connect.js';
import { nameArgument } from '../../credentials/name-argument.js';
import { Declined, UsageError } from '../../errors/usage-error.js';
import { ask, canAsk } from '../../output/ask.js';
import { err } from '../../output/terminal.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class TenantsDelete extends ServiceCommand {
  static override summary = 'Delete a tenant with all its records, keys and clients.';
  static override description = 'Needs an operator credential. Asks you to repeat the name; in a script, pass --yes.';
  static override examples = [{ description: 'For good', command: 'servicectl tenants delete acme' }];
  static override args = { name: nameArgument('The name of the tenant.') };
  static override flags = {
    yes: boolean({ char: 'y', description: 'Do not ask for confirmation.' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(TenantsDelete);
    if (!flags.yes) await confirm(args.name);
    const client = await connect(flags);
    await client.tenants.delete(args.name, { signal: this.signal });
    return { json: { deleted: args.name }, text: `Deleted the tenant "${args.name}".` };
  }
}

async function confirm(name: string): Promise<void> {
  if (!canAsk())
    throw new UsageError(`Deleting the tenant "${name}" cannot be undone: without a terminal, pass --yes.`);
  const typed = await ask(
    err.style('bold', `This permanently deletes everything in "${name}". Type the name to continue: `),
  );
  if (typed.trim() !== name) throw new Declined('That is another name: nothing was deleted.');
}
