import { string as stringArgument } from '@oclif/core/args';
import { connect, connectionFlags } from '../config/connect.js';
import { waitFlags } from '../enforcement/wait-flags.js';
import { type Outcome, ServiceCommand } from '../service-command.js';
import { changeSuspension } from '../suspension/change-suspension.js';

export default class Reinstate extends ServiceCommand {
  static override summary = 'Take the suspension of a subject back: what it has counts again.';
  static override description =
    'Its groups, roles and policies are as they are now, which may differ from what they were when it was suspended. Of a subject that \
is not suspended, nothing changes. A tree or Terraform configuration that declares a suspension sets it again in its next run.';
  static override examples = [
    { description: 'At once', command: 'servicectl reinstate user:alice' },
    { description: 'And wait for all agents', command: 'servicectl reinstate user:alice --wait=enforced' },
  ];
  static override args = {
    subject: stringArgument({ description: 'The subject, as TYPE:ID or TYPE/ID.', required: true, ignoreStdin: true }),
  };
  static override flags = { ...waitFlags, ...connectionFlags };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Reinstate);
    return await changeSuspension({
      subject: args.subject,
      suspension: { suspended: null, suspended_until: null, suspension_reason: null },
      done: ['Reinstated', ''],
      flags,
      client: await connect(flags),
      signal: this.signal,
    });
  }
}
