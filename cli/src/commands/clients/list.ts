import { connect, connectionFlags } from '../../config/connect.js';
import { listCredentials } from '../../credentials/credential-list.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class ClientsList extends ServiceCommand {
  static override summary = 'List the OAuth clients of the tenant, without their secrets.';
  static override examples = [{ description: 'All of them', command: 'servicectl clients list' }];
  static override flags = { ...connectionFlags };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(ClientsList);
    return listCredentials(await connect(flags), 'oauth_client', this.signal);
  }
}
