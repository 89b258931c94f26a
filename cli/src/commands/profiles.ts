import { DEFAULT_CLOUD_URL } from '@authz-service/provider/reconcile/credentials';
import { profilesPath, readProfiles } from '../config/profiles.js';
import { table } from '../output/table.js';
import { err, out } from '../output/terminal.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

export default class Profiles extends ServiceCommand {
  static override summary = 'List the profiles in ~/.service/config.yaml, without their secrets.';
  static override description = `The file names services and the credentials for each:

  profiles:
    default:
      url: http://127.0.0.1:8080
      client_id: 2f6c1c1e
      client_secret_file: client-secret      # or client_secret
    production:
      url: https://authz.example.com
      api_key_file: ~/.service/production    # or api_key

--profile NAME chooses one, or else SERVICE_PROFILE, or else "default". Credentials in the environment come before
the last two. A profile's credentials are sent to its own url only. Keep the file to yourself: chmod 600.`;
  static override examples = [{ description: 'What is there to choose from?', command: 'service profiles' }];

  override async run(): Promise<Outcome> {
    await this.parse(Profiles);
    const file = await readProfiles();
    for (const warning of file?.warnings ?? []) await err.line(`${err.style.yellow('warning:')} ${warning}`);
    if (file === undefined) await err.line(err.style.dim(`There is no ${profilesPath()}.`));
    const items = Object.entries(file?.profiles ?? {}).map(([name, entry]) => ({
      name,
      url: entry.url ?? DEFAULT_CLOUD_URL,
      credential:
        entry.client_id !== undefined ? 'oauth_client' : (entry.api_key ?? entry.api_key_file) ? 'api_key' : null,
      ...(entry.client_id !== undefined && { client_id: entry.client_id }),
    }));
    const rows = items.map((item) => [
      item.name,
      item.url,
      (item.credential ?? 'none').replace('_', ' '),
      item.client_id ?? '',
    ]);
    return {
      json: { path: profilesPath(), items },
      text:
        items.length === 0
          ? undefined
          : table(['NAME', 'URL', 'CREDENTIAL', 'CLIENT ID'], rows, out.style, out.columns),
    };
  }
}
