import { ProblemError } from '@authz-service/core/problem';
import type { AgentStatus } from '@authz-service/sdk/wire';
import { string } from '@oclif/core/flags';
import { clientOf } from '../../config/connect.js';
import { LOCAL_URL } from '../../config/connection.js';
import { printable } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class AgentStatusCommand extends ServiceCommand {
  static override summary = 'Show the revision that an agent serves, its age, and the last error.';
  static override examples = [
    { description: 'The agent on this machine', command: 'servicectl agent status' },
    { description: 'Another one, for a script', command: 'servicectl agent status --url http://10.0.0.7:8181 --json' },
  ];
  static override flags = {
    url: string({ description: 'The address of the agent.', helpValue: 'URL', default: LOCAL_URL }),
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(AgentStatusCommand);
    const client = await clientOf({ url: flags.url });
    const status = await client.agentStatus({ signal: this.signal }).catch((error: unknown) => {
      if (!(error instanceof ProblemError && error.code === 'not_found')) throw error;
      const detail = `The server at ${client.url} is not an agent: give the address of an agent with --url.`;
      throw new ProblemError('not_found', detail, [], { cause: error });
    });
    return { json: status, text: render(client.url, status) };
  }
}

function render(url: string, status: AgentStatus): string {
  const { tenant, last_error: fault, keys } = status;
  const rows: [string, string][] = [
    ['agent', url],
    [
      'bundles',
      status.source.kind === 'static' ? `files at ${status.source.url}` : `the cloud at ${status.source.url}`,
    ],
    ['status', status.consecutive_failures === 0 ? status.status : `${status.status}, ${failures(status)}`],
    ['tenant', tenant === null ? 'none yet' : `${tenant.name} (${tenant.id})`],
    ['revision', status.revision ?? 'none yet'],
    ['holds', status.applications?.join(', ') ?? 'all applications'],
    ['epoch', status.epoch === null ? 'none' : `${status.epoch.name}, declared ${status.epoch.declared_at}`],
    ['confirmed', status.age_seconds === null ? 'never' : `${Math.round(status.age_seconds)} s ago`],
    ['maximum age', status.max_age_seconds === null ? 'none' : `${status.max_age_seconds} s`],
    ...budgetRows(status),
    ['activated', activated(status)],
    ['signed by', signed(keys)],
    ['long poll', longPoll(status)],
    ['last error', fault === null ? 'none' : `${fault.at} ${fault.detail}`],
  ];
  return rows.map(([name, value]) => `${name.padEnd(11)}  ${printable(value)}`).join('\n');
}

/** The resource types that limit the age of what decides about them. */
function budgetRows({ budgets = [] }: AgentStatus): [string, string][] {
  return budgets.map(({ of, max_age_seconds: seconds, refused }) => [
    'budget',
    `${of}: ${seconds} s${refused ? ', which is less than two poll intervals: nothing is decided about it' : ''}`,
  ]);
}

function signed({ signed_by: by, pinned }: AgentStatus['keys']): string {
  return by === null ? 'nobody yet' : `${by} (${pinned ? 'pinned' : 'trusted since the first contact'})`;
}

/** This becomes known when the first request that the cloud may hold has ended. */
function longPoll({ long_poll: holds }: AgentStatus): string {
  if (holds === null) return 'not known yet';
  return holds ? 'yes' : 'no';
}

function failures({ consecutive_failures: count }: AgentStatus): string {
  return count === 1 ? 'the last sync failed' : `the last ${count} syncs failed`;
}

function activated({ last_activation: at, activated_by: by }: AgentStatus): string {
  if (at === null) return 'never';
  return by === 'delta' ? `${at} as changes to the previous revision` : at;
}
