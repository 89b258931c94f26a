import type { AgentList, ReportedAgent } from '@authz-service/sdk/wire';
import { connect, connectionFlags } from '../config/connect.js';
import { table } from '../output/table.js';
import { err, out } from '../output/terminal.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

const HEADINGS = ['name', 'revision', 'behind', 'last seen', 'maximum age', 'error', 'version', 'key', 'id'];

export default class Agents extends ServiceCommand {
  static override summary = 'List the agents of the tenant: which revision each serves, those that lag first.';
  static override description =
    'Agents report themselves to the cloud with each poll; nobody verifies what they say. The cloud remembers them from its start on.';
  static override examples = [
    { description: 'All of them', command: 'service agents' },
    {
      description: 'Those that do not serve the newest revision',
      command: "service agents --json | jq '.agents[] | select(.lag != 0)'",
    },
  ];
  static override flags = { ...connectionFlags };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(Agents);
    const client = await connect(flags);
    const list = await client.agents({ signal: this.signal });
    await err.line(err.style('dim', summary(list)));
    const rows = list.agents.map(cellsOf);
    return { json: list, text: rows.length === 0 ? undefined : table(HEADINGS, rows, out.style, out.columns) };
  }
}

function summary({ revision, total, enforcing, complete, more, agents }: AgentList): string {
  const shown = more ? ` The first ${agents.length} are listed.` : '';
  const part = complete ? '' : ' Other processes share the database: agents that poll those are not counted.';
  return `${enforcing} of ${total} agents report that they serve ${revision}.${shown}${part}`;
}

function cellsOf(agent: ReportedAgent): string[] {
  const {
    id,
    name,
    version,
    credential,
    revision,
    lag,
    diverged,
    max_age_seconds: maxAge,
    error,
    last_seen: seen,
  } = agent;
  const behind = diverged ? 'not of this tenant' : lag === null ? 'serves nothing' : String(lag);
  return [
    name ?? '-',
    revision ?? '',
    behind,
    seen,
    maxAge === null ? '' : `${maxAge} s`,
    error ?? '',
    version ?? '',
    credential.name,
    id,
  ];
}
