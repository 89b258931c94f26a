import { string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../../config/connect.js';
import { tenantNames } from '../../credentials/tenant-names.js';
import { table } from '../../output/table.js';
import { out } from '../../output/terminal.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class CredentialsDisabled extends ServiceCommand {
  static override summary = 'List the credentials that are off since a restore.';
  static override description =
    'Needs an operator credential. A restore turns off every credential but the operators’; see "servicectl credentials enable".';
  static override examples = [{ description: 'Of all tenants', command: 'servicectl credentials disabled' }];
  static override flags = {
    tenant: string({ description: 'Only those of this tenant.', helpValue: 'NAME' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(CredentialsDisabled);
    const client = await connect(flags);
    const items = [];
    for (const tenant of await tenantNames(client, flags.tenant, this.signal))
      for (const one of await client.tenants.disabledCredentials(tenant, { signal: this.signal }))
        items.push({ tenant, ...one });
    const rows = items.map(({ tenant, address, id, scopes, expires_at = '', off_since }) => [
      tenant,
      address,
      id,
      scopes.join(', '),
      expires_at,
      off_since,
    ]);
    const headings = ['TENANT', 'CREDENTIAL', 'ID', 'SCOPES', 'EXPIRES AT', 'OFF SINCE'];
    const text = rows.length === 0 ? 'No credential is off.' : table(headings, rows, out.style, out.columns);
    return { json: { items }, text };
  }
}
