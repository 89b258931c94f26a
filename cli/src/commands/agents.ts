import type { AgentList } from '@authz-service/sdk/wire';
import { string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../config/connect.js';
import { agentTable } from '../enforcement/agent-table.js';
import { publishing, UNLISTED } from '../enforcement/await-enforced.js';
import { err, out } from '../output/terminal.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

export default class Agents extends ServiceCommand {
  static override summary = 'List the agents of the tenant: which revision each serves, those that lag first.';
  static override description =
    'Agents report themselves to the cloud with each poll; nobody verifies what they say. The cloud remembers each until it is \
retired, or until a day after its own maximum age has run out.';
  static override examples = [
    { description: 'All of them', command: 'servicectl agents' },
    {
      description: 'Those that do not enforce a revision and may decide',
      command: "servicectl agents --enforces 42 --json | jq '.agents[] | select((.enforces or .expired) | not)'",
    },
  ];
  static override flags = {
    enforces: string({
      description: 'Ask about this revision, by its number or whole; by default the newest.',
      helpValue: 'REVISION',
    }),
    tenant: string({ description: 'For operators: another tenant, by its name or id.', helpValue: 'NAME' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(Agents);
    const client = await connect(flags);
    const { enforces, tenant } = flags;
    const list = await client.agents({ enforces, tenant, signal: this.signal });
    await err.line(err.style('dim', summary(list)));
    return { json: list, text: agentTable(list.agents, out) };
  }
}

function summary({
  revision,
  wanted,
  total,
  enforcing,
  expired,
  publishers,
  complete,
  more,
  agents,
}: AgentList): string {
  const shown = more ? ` The first ${agents.length} are listed.` : '';
  const gone = expired === 0 ? '' : ` ${expired} of the others are silent past their own maximum age.`;
  const part = complete ? '' : ` There are others that are not listed. ${UNLISTED}`;
  const readers = publishers === 0 ? '' : ` ${publishing(publishers)}`;
  const what = revision.startsWith(`${wanted}.`) ? revision : `revision ${wanted} or a later one`;
  return `${enforcing} of ${total} agents report that they serve ${what}.${gone}${shown}${readers}${part}`;
}
