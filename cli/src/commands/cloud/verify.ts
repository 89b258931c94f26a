import { string as stringArgument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { table } from '../../output/table.js';
import { err, out } from '../../output/terminal.js';
import { counted } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class CloudVerify extends ServiceCommand {
  static override summary = 'Prove that a backup or the cloud’s database is as it was written.';
  static override description =
    `Compares the rows of each tenant and the digests of all its revisions that can be rebuilt with what their commits recorded, \
and checks the signatures by which each key that signs bundles announces the next. Nothing is changed, and a cloud may run \
meanwhile. With a fault, the exit code is 1.

No digest covers who committed a revision and when, where the history begins, which credentials are off, sign-offs, the \
tenants’ own events, the keys of access tokens, sessions of the console, and agents: changes of these are not found.

Digests find damage and rows that somebody changed; not whoever can write the database and computes them again.`;
  static override examples = [
    { description: 'A backup, before it is needed', command: 'servicectl cloud verify cloud.backup' },
    { description: 'The folder of a cloud', command: 'servicectl cloud verify --data-dir data' },
    { description: 'The database in DATABASE_URL', command: 'servicectl cloud verify' },
  ];
  static override args = {
    file: stringArgument({
      description: 'A backup, written by "servicectl cloud backup", or the folder of a cloud.',
      ignoreStdin: true,
    }),
  };
  static override flags = {
    'data-dir': string({
      description: 'The folder of the database; by default DATABASE_URL, SERVICE_DATA_DIR or ~/.service/cloud.',
      helpValue: 'DIR',
      exclusive: ['file'],
    }),
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(CloudVerify);
    const [{ databasePlace }, { verify }] = await Promise.all([
      import('../../config/database-place.js'),
      import('@authz-service/cloud/backup/verify'),
    ]);
    const place = args.file === undefined ? await databasePlace(flags['data-dir']) : { file: args.file };
    const found = await verify(place, this.signal);
    for (const fault of found.faults) await err.line(`${err.style('red', 'fault:')} ${fault}`);
    const rows = found.tenants.map(({ name, revision = 'changed', records, revisions, since = '', off }) => [
      name,
      revision,
      String(records),
      String(revisions),
      since,
      String(off),
    ]);
    const headings = ['TENANT', 'REVISION', 'RECORDS', 'PROVEN', 'BACK TO', 'CREDENTIALS OFF'];
    await err.line(
      found.faults.length === 0
        ? `${err.style('green', 'Sound')}: ${counted(found.tenants.length, 'tenant')}, ${counted(found.keys, 'key')} that ${found.keys === 1 ? 'signs' : 'sign'} bundles.`
        : `${counted(found.faults.length, 'fault')} found.`,
    );
    return {
      json: found,
      text: rows.length === 0 ? undefined : table(headings, rows, out.style, out.columns),
      exitCode: found.faults.length === 0 ? 0 : 1,
    };
  }
}
