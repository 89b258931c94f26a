import { connect, connectionFlags } from '../../config/connect.js';
import { nameArgument } from '../../credentials/name-argument.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class ClientsDelete extends ServiceCommand {
  static override summary = 'Delete an OAuth client: it stops counting at once.';
  static override examples = [{ description: 'By its name, or by its id', command: 'service clients delete ci' }];
  static override args = { name: nameArgument('The name or the id.') };
  static override flags = { ...connectionFlags };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(ClientsDelete);
    const client = await connect(flags);
    await client.records('oauth_client').delete(args.name, { signal: this.signal });
    return { json: { deleted: args.name }, text: `Deleted the OAuth client "${args.name}".` };
  }
}
