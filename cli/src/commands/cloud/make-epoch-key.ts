import { string as stringArgument } from '@oclif/core/args';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class CloudMakeEpochKey extends ServiceCommand {
  static override summary =
    'Make the key with which a restored cloud proves to agents that it was restored on purpose.';
  static override description =
    `Keep the file apart from the database and its backups: who has both can set agents back. The \
running cloud does not need it. Declare the first epoch with it, so that agents learn the key while all is well; after a \
restore, the next epoch needs the same key.`;
  static override examples = [
    {
      description: 'Once, on the machine from which you restore',
      command: 'servicectl cloud make-epoch-key epoch.key',
    },
  ];
  static override args = {
    file: stringArgument({ description: 'A file that does not exist yet.', required: true, ignoreStdin: true }),
  };

  override async run(): Promise<Outcome> {
    const { args } = await this.parse(CloudMakeEpochKey);
    const { makeEpochKeyFile } = await import('@authz-service/cloud/backup/epoch-key-file');
    const kid = await makeEpochKeyFile(args.file);
    return { json: { file: args.file, kid }, text: `The epoch key ${kid} is in "${args.file}".` };
  }
}
