import { removeProfile } from '../../config/write-profiles.js';
import { nameArgument } from '../../credentials/name-argument.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class ProfilesDelete extends ServiceCommand {
  static override summary = 'Remove a profile from ~/.service/config.yaml.';
  static override description =
    'Its credentials stay valid: revoke them with "servicectl keys delete" or "servicectl clients delete".';
  static override examples = [{ description: 'By its name', command: 'servicectl profiles delete production' }];
  static override args = { name: nameArgument('The name of the profile.') };

  override async run(): Promise<Outcome> {
    const { args } = await this.parse(ProfilesDelete);
    await removeProfile(args.name);
    return { json: { deleted: args.name }, text: `Deleted the profile "${args.name}".` };
  }
}
