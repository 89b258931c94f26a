import { string as stringArgument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../../config/connect.js';
import { Declined, UsageError } from '../../errors/usage-error.js';
import { ask, canAsk } from '../../output/ask.js';
import { err } from '../../output/terminal.js';
import { counted } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class CredentialsDelete extends ServiceCommand {
  static override summary = 'Delete credentials that are off since a restore.';
  static override description =
    `Needs an operator credential, also for other tenants. Delete what was revoked after the backup was made; the audit trail of the \
tenant names who did. The last credential of a tenant that may create others stays, and stays off. Asks you to repeat the tenant; in a script, pass --yes.`;
  static override examples = [
    { description: 'Of a tenant', command: 'servicectl credentials delete api_key/lost --tenant acme' },
  ];
  static override strict = false;
  static override args = {
    credential: stringArgument({
      description: 'A credential, as "servicectl credentials disabled" names it; may be repeated.',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    tenant: string({ description: 'The tenant; by default your own.', helpValue: 'NAME' }),
    yes: boolean({ char: 'y', description: 'Do not ask for confirmation.' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { argv, flags } = await this.parse(CredentialsDelete);
    const credentials = argv.map(String);
    const { signal } = this;
    if (!flags.yes && !canAsk())
      throw new UsageError('Deleting credentials cannot be undone: without a terminal, pass --yes.');
    const client = await connect(flags);
    const tenant = flags.tenant ?? (await client.whoami({ signal })).tenant.name;
    if (!flags.yes) {
      const typed = await ask(
        err.style(
          'bold',
          `This deletes ${credentials.join(', ')} in "${tenant}". Type the name of the tenant to continue: `,
        ),
      );
      if (typed.trim() !== tenant) throw new Declined('That is another name: nothing was deleted.');
    }
    const revision = await client.tenants.deleteDisabledCredentials(tenant, credentials, { signal });
    const text = `${counted(credentials.length, 'credential')} of the tenant "${tenant}" deleted.`;
    return { json: { tenant, deleted: credentials, revision }, text };
  }
}
