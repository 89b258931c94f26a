import { string as stringArgument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../../config/connect.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class AgentsRetire extends ServiceCommand {
  static override summary = 'Take an agent that is gone for good off the list, so that nobody waits for it.';
  static override description =
    'Needs an operator credential. An agent without a maximum age stays listed until it is retired, however long it is silent: it \
may still decide by what it had. If it still runs, it decides as before, and is listed again within a minute of its next poll. \
"service audit --tenants" shows who retired which.';
  static override examples = [
    { description: 'By its id', command: 'service agents retire 0b54d6a5-5f11-4c66-9a3e-5a3a1d1cb5a1' },
  ];
  static override args = {
    id: stringArgument({ description: 'The id, as "service agents" shows it.', required: true, ignoreStdin: true }),
  };
  static override flags = {
    tenant: string({ description: 'The tenant, by its name or id; by default your own.', helpValue: 'NAME' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(AgentsRetire);
    const client = await connect(flags);
    const { retired } = await client.retireAgent(args.id, { tenant: flags.tenant, signal: this.signal });
    const text = retired === 0 ? `There was no agent "${args.id}" in the list.` : `Retired the agent "${args.id}".`;
    return { json: { retired }, text };
  }
}
