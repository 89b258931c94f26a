import { durationMs } from '@authz-service/core/values/duration';
import { boolean, string } from '@oclif/core/flags';
import { connectionFlags } from '../config/connect.js';
import { momentOf } from '../config/moment.js';
import { UsageError } from '../errors/usage-error.js';
import { endingsIn, endless } from '../expiring/ending.js';
import { table } from '../output/table.js';
import { err, out } from '../output/terminal.js';
import { moment, printable } from '../output/text.js';
import { wrapped } from '../output/wrap.js';
import { NO_GATES } from '../plan/access-of-plan.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

const DAY_MS = 86_400_000;
const ENDS_EXIT_CODE = 2;

export default class Expiring extends ServiceCommand {
  static override summary = 'Show what ends soon in a tenant, and who may do what then.';
  static override description =
    `Lists memberships, assignments and credentials that expire, and suspensions of subjects and access rules that end, the next \
first. Below stands what that does to access: what is lost with a link, and what is gained where a suspension ends.

--exit-code exits with 2 if something ends, for a job that reminds somebody.`;
  static override examples = [
    { description: 'What ends in the next 30 days?', command: 'servicectl expiring' },
    { description: 'Remind somebody, once a day', command: 'servicectl expiring --within 7d --exit-code' },
  ];
  static override flags = {
    within: string({ description: 'How far to look, like 30d, 12h or 1h30m.', helpValue: 'DURATION', default: '30d' }),
    now: string({
      description: 'Look from this moment on (RFC 3339); by default from the present one.',
      helpValue: 'TIME',
    }),
    'exit-code': boolean({ description: 'Exit with 2 if something ends.' }),
    all: boolean({ description: 'Show everything that it does to access, however much.' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(Expiring);
    const now = momentOf(flags.now);
    const until = now + withinMs(flags.within);
    const { liveSource } = await import('../impact/sources/live-tenant.js');
    const { records, label } = await liveSource('live', flags, this.signal);
    const ending = endingsIn(records, now, until);
    const exitCode = flags['exit-code'] && ending.length > 0 ? ENDS_EXIT_CODE : 0;
    await err.line(
      err.style('dim', `Ending within ${flags.within}: ${ending.length.toLocaleString('en')}, in ${label}`),
    );
    if (ending.length === 0) return { json: { ending }, exitCode };
    const [{ reportImpact }, { renderEnded }] = await Promise.all([
      import('../impact/report-impact.js'),
      import('../expiring/render-access.js'),
    ]);
    const { report: access } = await reportImpact(
      { records: endless(records, ending) },
      { records },
      { now, gaps: [], members: false, flags: NO_GATES },
    );
    const rows = ending.map(({ ends_at: at, what, address, reason = '' }) => [
      moment(at),
      what,
      printable(address),
      printable(reason),
    ]);
    const list = table(['ENDS', 'WHAT', 'RECORD', 'REASON'], rows, out.style, out.columns);
    const text = wrapped(renderEnded(access, flags.all).join('\n'), out.columns);
    return { json: { ending, access }, text: `${list}\n\n${text}`, exitCode };
  }
}

function withinMs(text: string): number {
  const [, days] = /^(\d+(?:\.\d+)?)d$/.exec(text) ?? [];
  const ms = days === undefined ? durationMs(text) : Number(days) * DAY_MS;
  if (ms !== undefined) return ms;
  throw new UsageError(`--within "${text}" is not a duration: write one like "30d", "12h" or "1h30m".`);
}
