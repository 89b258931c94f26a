import { ProblemError } from '@authz-service/core/problem';
import { string as stringArgument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../../config/connect.js';
import { UsageError } from '../../errors/usage-error.js';
import { counted } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class AgentsRetire extends ServiceCommand {
  static override summary = 'Take agents that are gone for good off the list, so that nobody waits for them.';
  static override description =
    'Needs an operator credential. An agent without a maximum age stays listed until it is retired, however long it is silent: it \
may still decide by what it had. If it still runs, it decides as before, and is listed again within a minute of its next poll. \
"servicectl audit --tenants" shows who retired which.';
  static override examples = [
    { description: 'By its id', command: 'servicectl agents retire 0b54d6a5-5f11-4c66-9a3e-5a3a1d1cb5a1' },
    { description: 'All that have reported by a key', command: 'servicectl agents retire --credential old-cluster' },
  ];
  static override args = {
    id: stringArgument({ description: 'The id, as "servicectl agents" shows it.', ignoreStdin: true }),
  };
  static override flags = {
    credential: string({
      description: 'Instead: all agents that have reported by this credential, by its name or id.',
      helpValue: 'NAME',
    }),
    tenant: string({ description: 'The tenant, by its name or id; by default your own.', helpValue: 'NAME' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(AgentsRetire);
    const { id } = args;
    const { credential, tenant } = flags;
    if ((id === undefined) === (credential === undefined))
      throw new UsageError('Name one agent by its id, or all of a credential with --credential.');
    const client = await connect(flags);
    const options = { tenant, signal: this.signal };
    if (id !== undefined) {
      const { retired } = await client.retireAgent(id, options);
      if (retired === 0) throw unlisted(`There is no agent "${id}" in the list`);
      return { json: { retired }, text: `Retired the agent "${id}".` };
    }
    const { retired } = await client.retireAgents(String(credential), options);
    if (retired === 0) throw unlisted(`No agent of the list has reported by a credential "${credential}"`);
    return { json: { retired }, text: `Retired ${counted(retired, 'agent')} of the credential "${credential}".` };
  }
}

function unlisted(what: string): ProblemError {
  return new ProblemError('not_found', `${what}: "servicectl agents" shows who is in it.`);
}
