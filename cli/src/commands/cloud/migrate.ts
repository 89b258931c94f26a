import { boolean, string } from '@oclif/core/flags';
import { databasePlace } from '../../config/database-place.js';
import { counted } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class CloudMigrate extends ServiceCommand {
  static override summary = 'Bring the schema of the cloud’s database up to date, or see whether it is.';
  static override description =
    `Every start of the cloud does this by itself; do it beforehand to see whether it succeeds. The database is the one in \
DATABASE_URL (or DATABASE_URL_FILE) on PostgreSQL, or else the SQLite database in the data folder. A database that a newer \
version has migrated is refused.`;
  static override examples = [
    {
      description: 'What would be done; exit code 2 if there is something',
      command: 'servicectl cloud migrate --check',
    },
    { description: 'Do it', command: 'servicectl cloud migrate' },
  ];
  static override flags = {
    'data-dir': string({
      description: 'The folder of the SQLite database; by default SERVICE_DATA_DIR or ~/.service/cloud.',
      helpValue: 'DIR',
    }),
    check: boolean({ description: 'Change nothing; the exit code is 2 if the schema is not up to date.' }),
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(CloudMigrate);
    const { migrateDatabase } = await import('@authz-service/cloud/backup/migrate');
    const place = await databasePlace(flags['data-dir']);
    const migrations = await migrateDatabase(place, { check: flags.check });
    const list = migrations.map((name) => `\n  ${name}`).join('');
    const done = flags.check ? 'to be done' : 'done';
    return {
      json: { [flags.check ? 'pending' : 'done']: migrations },
      text:
        migrations.length === 0
          ? 'The schema is up to date.'
          : `${counted(migrations.length, 'migration')} ${done}:${list}`,
      exitCode: flags.check && migrations.length > 0 ? 2 : 0,
    };
  }
}
