import { string as stringArgument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../config/connect.js';
import { waitFlags } from '../enforcement/wait-flags.js';
import { UsageError } from '../errors/usage-error.js';
import { type Outcome, ServiceCommand } from '../service-command.js';
import { changeSuspension } from '../suspension/change-suspension.js';

export default class Suspend extends ServiceCommand {
  static override summary = 'Suspend a subject: it is allowed nothing from now on.';
  static override description =
    `Whatever it has, and whatever roles and properties requests bring, every decision about it is a denial. Its groups, roles \
and policies stay as they are, and count again when "servicectl reinstate" or the end of --until takes the suspension back. A \
second suspension replaces the first, and is refused where it would end sooner: reinstate the subject before.

With --wait=enforced it waits until every agent enforces it, for as long as --timeout says. If some do not, the exit code is 3, they \
are listed, and the suspension stays.

Whoever owns the record keeps it. A tree or Terraform configuration that says nothing of a suspension leaves this one as it is, and so \
does a directory.`;
  static override examples = [
    { description: 'At once, everywhere', command: 'servicectl suspend user:alice --wait=enforced' },
    {
      description: 'For a while, and say why',
      command: 'servicectl suspend user:alice --until 2027-01-04T08:00:00Z --reason "Lost a laptop."',
    },
  ];
  static override args = {
    subject: stringArgument({ description: 'The subject, as TYPE:ID or TYPE/ID.', required: true, ignoreStdin: true }),
  };
  static override flags = {
    until: string({ description: 'When it ends by itself (RFC 3339); without it, never.', helpValue: 'TIME' }),
    reason: string({ description: 'Why, for whoever reads the record.', helpValue: 'TEXT' }),
    ...waitFlags,
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Suspend);
    const { until, reason = null } = flags;
    if (until !== undefined && Date.parse(until) <= Date.now())
      throw new UsageError(`--until ${until} is past: nobody would be suspended. Give a time in the future.`);
    const end =
      until === undefined
        ? { suspended: true as const, suspended_until: null }
        : { suspended: null, suspended_until: until };
    return await changeSuspension({
      subject: args.subject,
      suspension: { ...end, suspension_reason: reason },
      done: ['Suspended', until === undefined ? '' : ` until ${until}`],
      flags,
      client: await connect(flags),
      signal: this.signal,
    });
  }
}
