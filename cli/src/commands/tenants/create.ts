import { connect, connectionFlags } from '../../config/connect.js';
import { nameArgument } from '../../credentials/name-argument.js';
import { err } from '../../output/terminal.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class TenantsCreate extends ServiceCommand {
  static override summary = 'Create a tenant and show its administrator’s secret once.';
  static override description =
    'Needs an operator credential. The administrator may do everything in its own tenant and nothing elsewhere.';
  static override examples = [
    { description: 'A tenant and the variables to work in it', command: 'servicectl tenants create acme > acme.env' },
  ];
  static override args = { name: nameArgument('The name of the tenant.') };
  static override flags = { ...connectionFlags };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(TenantsCreate);
    const client = await connect(flags);
    const made = await client.tenants.create({ name: args.name }, { signal: this.signal });
    if (!flags.json) {
      await err.line(
        err.style('dim', `Tenant "${made.name}" (${made.id}). Its administrator's secret is shown only once:`),
      );
    }
    return { json: made, text: `SERVICE_CLIENT_ID=${made.client_id}\nSERVICE_CLIENT_SECRET=${made.client_secret}` };
  }
}
