import { connect, connectionFlags } from '../../config/connect.js';
import { nameArgument } from '../../credentials/name-argument.js';
import { newCredential, newCredentialFlags } from '../../credentials/new-credential.js';
import { err } from '../../output/terminal.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class ClientsCreate extends ServiceCommand {
  static override summary = 'Create an OAuth client and show its secret once.';
  static override description =
    `The id and the secret go to standard output, as environment variables that this program and the Terraform \
provider read. The service keeps only a hash of the secret.`;
  static override examples = [
    {
      description: 'For a pipeline that plans and applies',
      command: 'servicectl clients create ci --scope records:write',
    },
    {
      description: "For a team's pipeline, which writes for its stack in its application and nowhere else",
      command:
        'servicectl clients create billing-ci --scope records:write --limit-stack billing --limit-application billing',
    },
    {
      description: 'Another operator',
      command: 'servicectl clients create second --scope credentials --operator',
    },
    {
      description: 'Saved as an environment file',
      command: 'servicectl clients create ci --scope records:write > ci.env',
    },
  ];
  static override args = { name: nameArgument('The name of the client, unique in the tenant.') };
  static override flags = {
    ...newCredentialFlags,
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(ClientsCreate);
    const client = await connect(flags);
    const { client_id, client_secret } = await client
      .records('oauth_client')
      .create(newCredential(args.name, flags), { signal: this.signal, stack: flags.stack });
    if (!flags.json) await err.line(err.style('dim', `OAuth client "${args.name}". Its secret is shown only once:`));
    return {
      json: { client_id, client_secret },
      text: `SERVICE_CLIENT_ID=${client_id}\nSERVICE_CLIENT_SECRET=${client_secret}`,
    };
  }
}
