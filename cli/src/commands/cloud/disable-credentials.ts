import { string } from '@oclif/core/flags';
import { databasePlace } from '../../config/database-place.js';
import { logLine, setBackFiles, setBackFlags } from '../../config/set-back.js';
import { counted } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class CloudDisableCredentials extends ServiceCommand {
  static override summary = 'Turn off every credential but the operators’, after PostgreSQL was set back.';
  static override description =
    `A database that was restored has the credentials of its backup: also those that were revoked since. This turns off all of them \
but the operators', and ends all sessions of the console; operators turn on again what is good, with "servicectl credentials \
enable". Run it after pg_restore or a recovery to a point in time, before callers reach the cloud. "servicectl cloud restore" does \
it by itself. With --revocation-log, exactly those are on afterwards that were still good when the former database was lost, \
operators' too. With --epoch-key, it also declares a new epoch, so that agents follow to the restored revisions.

On SQLite, stop the cloud first; on PostgreSQL, running replicas follow within half a second.`;
  static override examples = [
    { description: 'In the database in DATABASE_URL', command: 'servicectl cloud disable-credentials' },
  ];
  static override flags = {
    'data-dir': string({
      description: 'The folder of an SQLite database; by default DATABASE_URL, SERVICE_DATA_DIR or ~/.service/cloud.',
      helpValue: 'DIR',
    }),
    ...setBackFlags,
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(CloudDisableCredentials);
    const { disableCredentials } = await import('@authz-service/cloud/backup/disable-credentials');
    const options = { now: Date.now(), ...setBackFiles(flags) };
    const done = await disableCredentials(await databasePlace(flags['data-dir']), options);
    const log = done.enabled === undefined ? '' : `\n${logLine(done.enabled, done.log_ends_at)}`;
    const epoch = done.epoch === undefined ? '' : ` A new epoch is declared: ${done.epoch}.`;
    return {
      json: done,
      text: `${counted(done.disabled, 'credential')} turned off: "servicectl credentials disabled" lists what is off.${epoch}${log}`,
    };
  }
}
