import { string as stringArgument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { logLine, setBackFiles, setBackFlags } from '../../config/set-back.js';
import { table } from '../../output/table.js';
import { err, out } from '../../output/terminal.js';
import { counted } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class CloudRestore extends ServiceCommand {
  static override summary = 'Restore a backup of the cloud’s database, and list the credentials that it brings back.';
  static override description =
    `Stop the cloud first. The backup is checked first, as at each start of the cloud: the file is whole, and every \
tenant is as it was committed. Nothing is changed if the check fails, if a cloud runs on the folder, or if there are \
left-overs (-wal, -shm) of a database that was not closed.

The backup also brings back credentials that were revoked since. So all of them are off but the operators', until an operator \
turns them on with "servicectl credentials enable". They are listed; with --replace, only those that the replaced database no \
longer has or has with changes: delete these. With --revocation-log, exactly those are on that were still good when the database \
was lost, operators' too. Agents with later revisions keep them, unless a new epoch is declared with \
--epoch-key: see docs/operating.md.`;
  static override examples = [
    { description: 'Into an empty folder', command: 'servicectl cloud restore cloud.backup --data-dir data' },
    {
      description: 'Instead of an existing database, which is kept under another name',
      command: 'servicectl cloud restore cloud.backup --data-dir data --replace',
    },
  ];
  static override args = {
    file: stringArgument({
      description: 'The backup, written by "servicectl cloud backup"; it is not changed.',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    'data-dir': string({
      description: 'The folder for the database; by default SERVICE_DATA_DIR or ~/.service/cloud.',
      helpValue: 'DIR',
    }),
    replace: boolean({ description: 'Replace the existing database.' }),
    ...setBackFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(CloudRestore);
    const [{ readDataDir }, { restore }] = await Promise.all([
      import('@authz-service/cloud/config/config'),
      import('@authz-service/cloud/backup/restore'),
    ]);
    const dataDir = readDataDir(process.env, flags['data-dir']);
    const done = await restore(args.file, dataDir, {
      replace: flags.replace,
      now: Date.now,
      ...setBackFiles(flags),
    });
    const tenants = done.tenants.map(({ name, revision }) => `\n  ${name} at revision ${revision}`).join('');
    await err.line(
      `${err.style('green', 'Restored')} ${counted(done.tenants.length, 'tenant')} to ${dataDir}:${tenants}` +
        (done.kept === undefined ? '' : `\nThe database that was there is kept as ${done.kept}.`),
    );
    for (const path of done.removed) await err.line(`Removed ${path}, which a restore had left that did not end.`);
    await err.line(epochLine(done));
    const { enabled, log_ends_at: end } = done;
    if (enabled !== undefined) await err.line(logLine(enabled, end));
    const shown = done.credentials.filter(({ since }) => since !== 'unchanged');
    await err.line(err.style('bold', headline(shown.length, done)));
    const rows = shown.map(({ tenant, kind, name, id, operator, scopes, expires_at = '', off, since = '' }) => {
      const grants = [...scopes, ...(operator ? ['operator'] : [])].join(', ');
      return [tenant, kind, name, id, grants, expires_at, off ? 'off' : 'on', since];
    });
    const headings = ['TENANT', 'KIND', 'NAME', 'ID', 'SCOPES', 'EXPIRES AT', 'IS', 'SINCE THE BACKUP'];
    const text = rows.length === 0 ? undefined : table(headings, rows, out.style, out.columns);
    return { json: { data_dir: dataDir, ...done }, text };
  }
}

function epochLine({ epoch, former_epoch: former }: { epoch?: string; former_epoch?: string }): string {
  if (epoch !== undefined) return `A new epoch is declared, ${epoch}: agents that know its key follow by themselves.`;
  const remedy = 'agents follow an older revision only when started with SERVICE_ALLOW_ROLLBACK=true';
  return former === undefined
    ? `No epoch is declared: ${remedy}.`
    : `${err.style('yellow', 'No epoch is declared')} after ${former}, for lack of --epoch-key: ${remedy}, or after "servicectl cloud declare-epoch".`;
}

function headline(shown: number, { compared, credentials }: { compared: boolean; credentials: unknown[] }): string {
  if (!compared) return `It brings back ${counted(shown, 'credential')}:`;
  const same = `${credentials.length - shown} are as they were`;
  return shown === 0
    ? `It brings back no credential that was removed or changed since: ${same}.`
    : `It brings back ${counted(shown, 'credential')} that ${shown === 1 ? 'was' : 'were'} removed or changed since (${same}):`;
}
