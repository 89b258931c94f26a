import { string } from '@oclif/core/flags';
import { UsageError } from '../../errors/usage-error.js';
import { out } from '../../output/terminal.js';
import { counted } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class CloudMove extends ServiceCommand {
  static override summary = 'Move the cloud’s database from SQLite to PostgreSQL.';
  static override description =
    `Stop the cloud first. Copies everything to an empty PostgreSQL database, in one transaction: tenants with their records, \
credentials, history and audit trail, and the keys that sign tokens and bundles, so that agents go on without noticing. At the \
end every tenant is read there, and its digests are compared with those that its newest commit recorded. The SQLite database \
stays as it is: do not start a cloud on it any more.

A URL with a password belongs into DATABASE_URL or DATABASE_URL_FILE, since other users of the machine see arguments.`;
  static override examples = [
    {
      description: 'To the database in DATABASE_URL',
      command: 'servicectl cloud move --from sqlite:data',
    },
    {
      description: 'To a database that asks for no password',
      command: 'servicectl cloud move --from sqlite:data --to postgres://cloud@localhost/authz',
    },
  ];
  static override flags = {
    from: string({
      description: 'The SQLite database: sqlite: and its folder.',
      helpValue: 'sqlite:DIR',
      required: true,
    }),
    to: string({
      description: 'The PostgreSQL database, without a password; by default DATABASE_URL or DATABASE_URL_FILE.',
      helpValue: 'URL',
    }),
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(CloudMove);
    const [, dataDir] = /^sqlite:(.+)$/.exec(flags.from) ?? [];
    if (dataDir === undefined)
      throw new UsageError(
        `--from is "${flags.from}": write sqlite: and the folder of the database, like sqlite:data.`,
      );
    const [{ readPostgres }, { moveToPostgres }] = await Promise.all([
      import('@authz-service/cloud/config/config'),
      import('@authz-service/cloud/backup/move'),
    ]);
    const { SERVICE_DATA_DIR: _, ...env } = process.env;
    const postgres = readPostgres(env, flags.to);
    if (postgres === undefined)
      throw new UsageError('There is no database to move to: set DATABASE_URL or DATABASE_URL_FILE, or give --to.');
    const moved = await moveToPostgres(dataDir, postgres);
    const tenants = moved.tenants.map(({ name, revision }) => `\n  ${name} at revision ${revision}`).join('');
    const what = `${counted(moved.tenants.length, 'tenant')} (${counted(moved.rows, 'row')}), digests compared`;
    return { json: moved, text: `${out.style('green', 'Moved')} ${what}:${tenants}` };
  }
}
