import type { AccessReport, NoAccessReport } from '@authz-service/core/questions/impact/report/access-report';
import { renderAccessText } from '@authz-service/core/questions/impact/report/render-access-text';
import type { DirectoryStatus } from '@authz-service/sdk/wire';
import { boolean } from '@oclif/core/flags';
import { connect, connectionFlags } from '../../config/connect.js';
import { nameArgument } from '../../credentials/name-argument.js';
import { table } from '../../output/table.js';
import { out } from '../../output/terminal.js';
import { counted } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';

export default class DirectoryStatusCommand extends ServiceCommand {
  static override summary = 'Show what a directory holds, and what its brake holds; let that through or discard it.';
  static override description =
    'The brake of a directory ("removals", "groups_emptied", "suspensions") holds changes beyond what it may take away in an hour, \
and the directory repeats them. --release lets through exactly what is held now, once it is repeated; --discard has that refused with \
409. Both last for 24 hours.';
  static override examples = [
    { description: 'What is held, and what it would do to access', command: 'servicectl directory status okta' },
    { description: 'Let it through', command: 'servicectl directory status okta --release' },
  ];
  static override args = { name: nameArgument('The name of the directory.') };
  static override flags = {
    release: boolean({ description: 'Let through what is held now.', exclusive: ['discard'] }),
    discard: boolean({ description: 'Refuse what is held now.', exclusive: ['release'] }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(DirectoryStatusCommand);
    const { directories } = await connect(flags);
    const options = { signal: this.signal };
    if (flags.release || flags.discard) {
      const decided = await directories.decide(args.name, flags.release ? 'release' : 'discard', options);
      const done = flags.release ? 'Let through' : 'Discarded';
      return { json: { decided }, text: `${done} ${counted(decided, 'held change')} of the directory "${args.name}".` };
    }
    const status = await directories.status(args.name, { ...options, access: true });
    return { json: { ...status }, text: statusText(status) };
  }
}

function statusText({
  subjects,
  groups,
  memberships,
  last_sync,
  held_count,
  held,
  access,
  ...rest
}: DirectoryStatus): string {
  const { people, renamed, memberships: left, groups: emptied, suspended } = rest.taken_away;
  const lines = [
    `${counted(subjects, 'subject')}, ${counted(groups, 'group')}, ${counted(memberships, 'membership')}`,
    `last sync       ${last_sync ?? 'never'}`,
    `taken away      in the last hour: ${counted(people, 'subject')}, ${counted(left, 'membership')}, ${counted(emptied, 'group')}`,
    `                ${renamed} renamed, ${suspended} suspended`,
    `held            ${held_count === 0 ? 'nothing' : counted(held_count, 'change')}`,
  ];
  if (held.length > 0) {
    const rows = held.map(({ state, braked, records, last_at }) => [state, braked, last_at, records.join(' ')]);
    lines.push('', table(['state', 'by', 'last asked', 'records'], rows, out.style, out.columns));
  }
  if (access !== undefined)
    lines.push('', ...renderAccessText(access as AccessReport | NoAccessReport, { style: out.style }));
  return lines.join('\n').trimEnd();
}
