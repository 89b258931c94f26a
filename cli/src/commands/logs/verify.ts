import { string as stringArgument } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { UsageError } from '../../errors/usage-error.js';
import { Completeness, type CompletenessReport, type LostLines } from '../../logs/completeness.js';
import { out, type Terminal } from '../../output/terminal.js';
import { counted, moment, printable } from '../../output/text.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';
import { linesOf } from '../../tree/lines-of.js';

const GAPS_EXIT_CODE = 2;
/** How many gaps and ranges the text lists. */
const LISTED = 20;

export default class LogsVerify extends ServiceCommand {
  static override summary = 'Find what is missing in decision logs.';
  static override description =
    `Reads decision logs of agents, and says which lines came again, which are lost as the log itself says (gaps), and which are \
missing although no gap says so. Each process of an agent numbers its lines, and the first one names the last of the process \
before, so that it does not matter in which files lines are. Name rotated files from the oldest to the newest.

With lines that are missing without a gap, out of order, or no lines of a log, the exit code is 1. Lines before the first and after \
the last that are read are not known: those of a process that was killed are, once its successor has decided something.`;
  static override examples = [
    {
      description: 'A log and the file that it was rotated to',
      command: 'servicectl logs verify decisions.jsonl.1 decisions.jsonl',
    },
    { description: 'In a pipeline: fail on gaps, too', command: 'servicectl logs verify decisions.jsonl --exit-code' },
  ];
  static override strict = false;
  static override args = {
    file: stringArgument({
      description: 'The logs, one JSON object per line; - is standard input.',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    'exit-code': boolean({ description: 'Exit with 2 if the log says that lines are lost.' }),
  };

  override async run(): Promise<Outcome> {
    const { argv, flags } = await this.parse(LogsVerify);
    const found = new Completeness();
    for (const file of argv as string[]) {
      let number = 0;
      for await (const line of linesOf(file)) {
        this.signal.throwIfAborted();
        found.take(line, `${file}:${++number}`);
      }
    }
    const { report } = found;
    if (report.lines === 0 && report.gaps.length === 0) {
      throw new UsageError(
        `${(argv as string[]).join(', ')}: no line of a decision log with an id: SERVICE_DECISION_LOG=true makes an agent write one.`,
      );
    }
    const isBroken = report.missing.length > 0 || report.disordered.count > 0 || report.unreadable.count > 0;
    const isLossy = flags['exit-code'] && report.gaps.length > 0;
    return {
      json: report,
      text: render(report, out.style),
      exitCode: isBroken ? 1 : isLossy ? GAPS_EXIT_CODE : 0,
    };
  }
}

function render(report: CompletenessReport, style: Terminal['style']): string {
  const { lines, repeated, processes, gaps, missing, disordered, unreadable } = report;
  const lost = gaps.reduce((sum, gap) => sum + gap.lost, 0);
  const absent = missing.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const again = repeated > 0 ? `, ${repeated.toLocaleString('en')} of which came again` : '';
  return [
    `${style('bold', counted(lines, 'line'))} of ${counted(processes.length, 'process', 'processes')}${again}.`,
    ...(lost > 0 ? [`${style('yellow', counted(lost, 'line'))} lost, as the log says:`] : []),
    ...listed(gaps, gapText),
    ...(absent > 0 ? [`${style('red', counted(absent, 'line'))} missing, and no gap says so:`] : []),
    ...listed(missing, rangeText),
    ...(disordered.count > 0
      ? [
          `${style('red', counted(disordered.count, 'line'))} out of order, the first at ${printable(disordered.first ?? '')}.`,
        ]
      : []),
    ...(unreadable.count > 0
      ? [
          `${style('red', counted(unreadable.count, 'line'))} without an id of a log, the first at ${printable(unreadable.first ?? '')}.`,
        ]
      : []),
    ...(lost + absent + disordered.count + unreadable.count === 0 ? [`${style('green', 'Nothing is missing.')}`] : []),
  ].join('\n');
}

function listed<T>(all: readonly T[], text: (one: T) => string): string[] {
  const shown = all.slice(0, LISTED).map((one) => `  ${text(one)}`);
  return all.length <= LISTED ? shown : [...shown, `  and ${(all.length - LISTED).toLocaleString('en')} more`];
}

function rangeText({ process, first, last }: { process: string; first: number; last: number }): string {
  return printable(first === last ? `${process}.${first}` : `${process}.${first} to ${last}`);
}

function gapText(gap: LostLines): string {
  const why = gap.cause === 'refused' ? 'refused by the receiver' : 'no room';
  const to = gap.from === gap.to ? '' : ` to ${moment(gap.to)}`;
  return `${rangeText(gap)}, ${printable(`${moment(gap.from)}${to}`)}: ${why}`;
}
