import { connect, connectionFlags } from '../../config/connect.js';
import { table } from '../../output/table.js';
import { err, out } from '../../output/terminal.js';
import { counted, moment } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class TenantsList extends ServiceCommand {
  static override summary = 'List the tenants, for operators.';
  static override examples = [{ description: 'All of them', command: 'servicectl tenants list' }];
  static override flags = { ...connectionFlags };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(TenantsList);
    const client = await connect(flags);
    const items = [];
    for await (const tenant of client.tenants.list({ signal: this.signal })) items.push(tenant);
    await err.line(err.style('dim', counted(items.length, 'tenant')));
    const rows = items.map(({ name, id, created_at }) => [name, id, moment(created_at)]);
    return { json: { items }, text: table(['NAME', 'ID', 'CREATED AT'], rows, out.style, out.columns) };
  }
}
