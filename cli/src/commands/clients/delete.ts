import { connect, connectionFlags } from '../../config/connect.js';
import { deleteCredential, yesFlag } from '../../credentials/delete-credential.js';
import { nameArgument } from '../../credentials/name-argument.js';
import { stackFlag } from '../../credentials/stack-flag.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class ClientsDelete extends ServiceCommand {
  static override summary = 'Delete an OAuth client; it stops working at once.';
  static override description = 'Asks you to repeat the name; in a script, pass --yes.';
  static override examples = [
    { description: 'By its name, or by its id', command: 'servicectl clients delete ci' },
    { description: 'In a script', command: 'servicectl clients delete ci --yes' },
  ];
  static override args = { name: nameArgument('The name or the id.') };
  static override flags = { yes: yesFlag, stack: stackFlag, ...connectionFlags };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(ClientsDelete);
    return await deleteCredential(() => connect(flags), 'oauth_client', args.name, {
      yes: flags.yes,
      stack: flags.stack,
      signal: this.signal,
    });
  }
}
