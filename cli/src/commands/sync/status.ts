import { boolean } from '@oclif/core/flags';
import { chosenConnection, connectionFlags, senderOf } from '../../config/connect.js';
import { table } from '../../output/table.js';
import { out } from '../../output/terminal.js';
import { wrapped } from '../../output/wrap.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';
import { listLeases, type ShownLease } from '../../sync/lease.js';

const NOT_READY = 2;

export default class SyncStatus extends ServiceCommand {
  static override summary = 'Show the stacks that controllers apply from Git.';
  static override description =
    `A stack is ready if its newest commit is applied and every live agent enforces it. Needs the scope "records:read". \
A stack that nobody follows any more is shown as unattended.`;
  static override examples = [
    { description: 'How are they?', command: 'servicectl sync status' },
    { description: 'In a script: exit code 2 unless all are ready', command: 'servicectl sync status --exit-code' },
  ];
  static override flags = {
    'exit-code': boolean({ description: 'Exit with 2 unless every stack is ready and attended.' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(SyncStatus);
    const stacks = await listLeases(await senderOf(await chosenConnection(flags)), this.signal);
    const isReady = stacks.length > 0 && stacks.every(({ live, status }) => live && status?.ready);
    return {
      json: { stacks },
      text: stacks.length === 0 ? 'No controller follows a stack: see "servicectl sync --help".' : textOf(stacks),
      exitCode: flags['exit-code'] && !isReady ? NOT_READY : 0,
    };
  }
}

function textOf(stacks: readonly ShownLease[]): string {
  const rows = stacks.map(({ stack, live, holder, status }) => [
    stack,
    live ? stateOf(status) : 'unattended',
    status?.observed?.slice(0, 12) ?? '',
    status?.applied?.slice(0, 12) ?? '',
    status?.revision ?? '',
    live ? holder : '',
  ]);
  const reasons = stacks.flatMap(({ stack, status }) =>
    status?.reason === undefined ? [] : [`${out.style('bold', stack)}: ${status.reason}`],
  );
  const listed = table(['STACK', 'STATE', 'SEEN', 'APPLIED', 'REVISION', 'CONTROLLER'], rows, out.style, out.columns);
  return wrapped([listed, ...reasons].join('\n\n'), out.columns);
}

function stateOf(status: ShownLease['status']): string {
  if (status === undefined) return 'new';
  return status.state === 'synced' ? (status.ready ? 'ready' : 'applied') : status.state;
}
