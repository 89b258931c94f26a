import type { Limits } from '@authz-service/core/records/limits';
import { nounOf } from '@authz-service/core/state/kind-words';
import { connect, connectionFlags } from '../config/connect.js';
import { printable } from '../output/text.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

export default class WhoAmI extends ServiceCommand {
  static override summary = 'Show the tenant, the scopes and the limits of the credential in use.';
  static override examples = [
    { description: 'Which credential would apply use?', command: 'servicectl whoami --profile production' },
  ];
  static override flags = { ...connectionFlags };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(WhoAmI);
    const client = await connect(flags);
    const who = await client.whoami({ signal: this.signal });
    const { tenant, credential, scopes, limits } = who;
    const rows = [
      ['service', client.url],
      ['tenant', tenant.name],
      ['credential', `${nounOf(credential.kind)} ${credential.name} (${credential.id})`],
      ['scopes', scopes.join(', ')],
      ...limitRows(limits),
    ];
    return {
      json: who,
      text: rows.map(([name = '', value = '']) => `${name.padEnd(10)}  ${printable(value)}`).join('\n'),
    };
  }
}

/** Returns rows for what it may write at most. */
function limitRows(limits: Limits | undefined): string[][] {
  if (limits === undefined) return [['limits', 'none']];
  const { stacks, applications, priority_max: most } = limits;
  return [
    ...(stacks === undefined ? [] : [['limits', `writes for the stacks ${stacks.join(', ')}`]]),
    ...(applications === undefined ? [] : [['limits', `writes in the applications ${applications.join(', ')}`]]),
    ...(most === undefined ? [] : [['limits', `writes policies of priorities up to ${most}`]]),
  ];
}
