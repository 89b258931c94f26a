import { connect, connectionFlags } from '../../config/connect.js';
import { deleteCredential, yesFlag } from '../../credentials/delete-credential.js';
import { nameArgument } from '../../credentials/name-argument.js';
import { stackFlag } from '../../credentials/stack-flag.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class KeysDelete extends ServiceCommand {
  static override summary = 'Delete an API key; it stops working at once.';
  static override description = 'Asks you to repeat the name; in a script, pass --yes.';
  static override examples = [
    { description: 'By its name, or by its id', command: 'servicectl keys delete ci' },
    { description: 'In a script', command: 'servicectl keys delete ci --yes' },
  ];
  static override args = { name: nameArgument('The name or the id.') };
  static override flags = { yes: yesFlag, stack: stackFlag, ...connectionFlags };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(KeysDelete);
    return await deleteCredential(() => connect(flags), 'api_key', args.name, {
      yes: flags.yes,
      stack: flags.stack,
      signal: this.signal,
    });
  }
}
