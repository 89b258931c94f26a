import { nounOf } from '@authz-service/core/state/kind-words';
import { boolean } from '@oclif/core/flags';
import { chosenConnection, clientOf, connectionFlags } from '../../config/connect.js';
import { profilesPath } from '../../config/profiles.js';
import { writeProfile } from '../../config/write-profiles.js';
import { nameArgument } from '../../credentials/name-argument.js';
import { UsageError } from '../../errors/usage-error.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class ProfilesSave extends ServiceCommand {
  static override summary = 'Save the service and credentials in the environment as a profile.';
  static override description =
    `Tries the credentials first and saves them only if they work. The profile goes to ~/.service/config.yaml, which nobody \
else can read. Select it with --profile NAME or SERVICE_PROFILE. Without either, the profile "default" is used.`;
  static override examples = [
    {
      description: 'The administrator of a new tenant',
      command: 'env $(servicectl tenants create acme) servicectl profiles save acme',
    },
    {
      description: 'A key that is in the environment, for another service',
      command: 'SERVICE_API_KEY=svc_… servicectl profiles save production --url https://authz.example.com',
    },
  ];
  static override args = { name: nameArgument('The name of the profile.') };
  static override flags = {
    replace: boolean({ description: 'Replace the profile of this name.' }),
    url: connectionFlags.url,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(ProfilesSave);
    const { url, credentials, source } = await chosenConnection(flags);
    if (credentials === undefined || source !== 'the environment') {
      throw new UsageError(
        'The environment contains no credentials to save: set SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET, or SERVICE_API_KEY.',
      );
    }
    const client = await clientOf({ url, credentials });
    const { tenant, credential } = await client.whoami({ signal: this.signal });
    const secrets =
      'apiKey' in credentials
        ? { api_key: credentials.apiKey }
        : { client_id: credentials.clientId, client_secret: credentials.clientSecret };
    await writeProfile(args.name, { url, ...secrets }, flags.replace);
    const who = `${nounOf(credential.kind)} "${credential.name}"`;
    return {
      json: { name: args.name, url, path: profilesPath() },
      text: `Saved the profile "${args.name}": ${who} of the tenant "${tenant.name}" at ${url}.`,
    };
  }
}
