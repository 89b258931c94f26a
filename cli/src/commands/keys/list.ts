import { connect, connectionFlags } from '../../config/connect.js';
import { listCredentials } from '../../credentials/credential-list.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class KeysList extends ServiceCommand {
  static override summary = 'List the API keys of the tenant, without their secrets.';
  static override examples = [{ description: 'All of them', command: 'servicectl keys list' }];
  static override flags = { ...connectionFlags };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(KeysList);
    return listCredentials(await connect(flags), 'api_key', this.signal);
  }
}
