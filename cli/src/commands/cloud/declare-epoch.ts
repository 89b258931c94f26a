import { boolean, string } from '@oclif/core/flags';
import { databasePlace } from '../../config/database-place.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class CloudDeclareEpoch extends ServiceCommand {
  static override summary =
    'Declare a new epoch of the cloud: agents accept a revision that is older than theirs, once.';
  static override description =
    `Agents learn the key of the first epoch that they see, and follow from then on only epochs \
that it has signed. Declare one as soon as there is a key, while all is well. "servicectl cloud restore" and "servicectl cloud \
disable-credentials" declare the next one by themselves when they are given the key.

On SQLite, stop the cloud first; on PostgreSQL, running replicas follow within half a second.`;
  static override examples = [
    { description: 'In the database in DATABASE_URL', command: 'servicectl cloud declare-epoch --epoch-key epoch.key' },
  ];
  static override flags = {
    'data-dir': string({
      description: 'The folder of an SQLite database; by default DATABASE_URL, SERVICE_DATA_DIR or ~/.service/cloud.',
      helpValue: 'DIR',
    }),
    'epoch-key': string({
      description: 'The file of the key, which "servicectl cloud make-epoch-key" has made.',
      helpValue: 'FILE',
      env: 'SERVICE_EPOCH_KEY_FILE',
      required: true,
    }),
    'replace-key': boolean({
      description:
        'Sign with another key than the last epoch: agents that know that one refuse this cloud from now on.',
    }),
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(CloudDeclareEpoch);
    const { declareEpoch } = await import('@authz-service/cloud/backup/declare-epoch');
    const options = { now: Date.now(), replaceKey: flags['replace-key'] };
    const epoch = await declareEpoch(await databasePlace(flags['data-dir']), flags['epoch-key'], options);
    return { json: { epoch }, text: `The epoch ${epoch} is declared.` };
  }
}
