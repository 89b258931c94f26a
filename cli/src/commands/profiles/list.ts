import { nounOf } from '@authz-service/core/state/kind-words';
import { DEFAULT_CLOUD_URL } from '@authz-service/sdk/environment';
import { type ProfileEntry, profilesPath, readProfiles } from '../../config/profiles.js';
import { table } from '../../output/table.js';
import { err, out } from '../../output/terminal.js';
import { counted } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class ProfilesList extends ServiceCommand {
  static override summary = 'List the profiles in ~/.service/config.yaml, without their secrets.';
  static override description =
    `"servicectl profiles save" writes the file. If you edit it by hand, secrets may also be in files of their own:

  profiles:
    default:
      url: http://127.0.0.1:8080
      client_id: 2f6c1c1e
      client_secret_file: client-secret      # or client_secret
    production:
      url: https://authz.example.com
      api_key_file: ~/.service/production    # or api_key

--profile NAME selects a profile, or else SERVICE_PROFILE, or else "default". Credentials in the environment take \
precedence over the last one alone. A profile's credentials are sent to its own url only. Keep the file to yourself: chmod 600.`;
  static override examples = [{ description: 'What is there to choose from?', command: 'servicectl profiles list' }];

  override async run(): Promise<Outcome> {
    await this.parse(ProfilesList);
    const file = await readProfiles();
    for (const warning of file?.warnings ?? []) await err.warning(warning);
    const items = [...(file?.profiles ?? [])].map(([name, entry]) => ({
      name,
      url: entry.url ?? DEFAULT_CLOUD_URL,
      credential: credentialOf(entry),
      ...(entry.client_id !== undefined && { client_id: entry.client_id }),
    }));
    const none =
      file === undefined ? `There is no ${profilesPath()}: "servicectl profiles save" creates it.` : undefined;
    await err.line(err.style('dim', none ?? counted(items.length, 'profile')));
    const rows = items.map(({ name, url, credential, client_id: id = '' }) => [
      name,
      url,
      credential === null ? 'none' : nounOf(credential),
      id,
    ]);
    const headings = ['NAME', 'URL', 'CREDENTIAL', 'CLIENT ID'];
    return {
      json: { path: profilesPath(), items },
      text: items.length === 0 ? undefined : table(headings, rows, out.style, out.columns),
    };
  }
}

function credentialOf({ client_id, api_key, api_key_file }: ProfileEntry): 'api_key' | 'oauth_client' | null {
  if (client_id !== undefined) return 'oauth_client';
  return api_key === undefined && api_key_file === undefined ? null : 'api_key';
}
