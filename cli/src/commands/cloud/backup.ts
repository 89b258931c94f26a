import { string as stringArgument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { out } from '../../output/terminal.js';
import { counted } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

const MB = 1_000_000;

export default class CloudBackup extends ServiceCommand {
  static override summary = 'Back up the cloud’s database, even while the cloud runs.';
  static override description =
    `The backup is the database at one moment, with whole revisions only; commits continue meanwhile. It is one \
file, checked before it gets its name. Only its owner can read it: it contains the keys that sign tokens and \
bundles, and the hashes of all secrets. Restore it with "servicectl cloud restore".

Run it on the machine of the cloud, as the user that the cloud runs as.`;
  static override examples = [
    { description: 'While the cloud runs', command: 'servicectl cloud backup cloud.backup --data-dir data' },
    {
      description: 'Replace an older backup',
      command: 'servicectl cloud backup cloud.backup --data-dir data --replace',
    },
  ];
  static override args = {
    file: stringArgument({ description: 'The file to write.', required: true, ignoreStdin: true }),
  };
  static override flags = {
    'data-dir': string({
      description: 'The folder of the database; by default SERVICE_DATA_DIR or ~/.service/cloud.',
      helpValue: 'DIR',
    }),
    replace: boolean({ description: 'Replace an existing file.' }),
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(CloudBackup);
    const [{ readDataDir }, { backUp }] = await Promise.all([
      import('@authz-service/cloud/config/config'),
      import('@authz-service/cloud/backup/back-up'),
    ]);
    const dataDir = readDataDir(process.env, flags['data-dir']);
    const made = await backUp(args.file, dataDir, { replace: flags.replace, signal: this.signal });
    const size = `${(made.bytes / MB).toFixed(1)} MB`;
    const tenants = made.tenants.map(({ name, revision }) => `\n  ${name} at revision ${revision}`).join('');
    return {
      json: made,
      text: `${out.style('green', 'Backed up')} ${counted(made.tenants.length, 'tenant')} to ${made.file} (${size}):${tenants}`,
    };
  }
}
