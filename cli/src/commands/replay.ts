import type { Engine } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import {
  type ReplayedOutcome,
  Replay as ReplayOf,
  type ReplayReport,
} from '@authz-service/core/questions/replay/replay';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { string as stringArgument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { connect, connectionFlags } from '../config/connect.js';
import { UsageError } from '../errors/usage-error.js';
import { err, out, type Terminal } from '../output/terminal.js';
import { counted, printable } from '../output/text.js';
import { type Outcome, ServiceCommand } from '../service-command.js';
import { environmentFlag } from '../tree/environment-flag.js';
import { linesOf } from '../tree/lines-of.js';
import { loadTree } from '../tree/load-tree.js';

const CHANGED_EXIT_CODE = 2;

export default class Replay extends ServiceCommand {
  static override summary = 'Say which logged decisions a tree, or the tenant as it is, would change.';
  static override description =
    `Makes the decisions in a decision log of an agent again, at the time of each, with the records of the folder that \
--against names, or with those of the tenant, and counts those that come out otherwise, by the policies that decided \
before and after. The agent must have logged its inputs (SERVICE_DECISION_LOG_INPUTS=true); lines without them, and \
lines of which a masked value would be read, are counted as not replayable.`;
  static override examples = [
    { description: 'What would this tree have decided?', command: 'servicectl replay decisions.log --against tenant' },
    {
      description: 'In a pipeline: fail if any decision of last week would change',
      command: 'servicectl replay last-week.log --against tenant --exit-code',
    },
    { description: 'The tenant as it is, from standard input', command: 'servicectl replay - --json' },
  ];
  static override args = {
    log: stringArgument({
      description: 'The decision log, one JSON object per line; - is standard input.',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    against: string({ description: 'The folder of YAML files that decides, instead of the tenant.', helpValue: 'DIR' }),
    environment: environmentFlag,
    'exit-code': boolean({ description: 'Exit with 2 if any decision would change.' }),
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Replay);
    const { engine, against } = await this.#decider(flags);
    const replay = new ReplayOf(engine);
    let number = 0;
    for await (const line of linesOf(args.log)) {
      this.signal.throwIfAborted();
      replay.take(line, ++number);
    }
    const { report } = replay;
    if (report.decisions === 0) {
      throw new UsageError(
        `${args.log} holds no line of a decision log: SERVICE_DECISION_LOG=true makes an agent write one.`,
      );
    }
    return {
      json: { against, ...report },
      text: render(report, against, out.style),
      exitCode: flags['exit-code'] && report.changed > 0 ? CHANGED_EXIT_CODE : 0,
    };
  }

  /** Who decides now, and how it is called. */
  async #decider(flags: {
    against?: string | undefined;
    environment?: string | undefined;
    url?: string | undefined;
    profile?: string | undefined;
  }): Promise<{
    engine: Engine;
    against: string;
  }> {
    if (flags.against !== undefined) {
      const { manifest } = await loadTree(flags.against, (text) => err.warning(text), flags);
      const records = manifest.records.map((record) => ({ ...record, id: record.address }));
      return { engine: compileEngine(records), against: flags.against };
    }
    const { tenant, revision, records } = await (await connect(flags)).state({ signal: this.signal });
    return { engine: compileEngine(records as StoredRecord[]), against: `${tenant}@${revision}` };
  }
}

function render(report: ReplayReport, against: string, style: Terminal['style']): string {
  const { decisions, replayed, changed, other_policy, not_replayable, causes } = report;
  const { without_inputs, masked, unreadable } = not_replayable;
  const lost = [
    ...(without_inputs > 0 ? [`${without_inputs} logged without inputs`] : []),
    ...(masked > 0 ? [`${masked} that read what is masked`] : []),
    ...(unreadable > 0 ? [`${unreadable} that cannot be read`] : []),
  ];
  const lines = causes.flatMap(({ before, after, count, examples }) => [
    `${style('bold', count.toLocaleString('en'))}  ${outcomeText(before)} → ${outcomeText(after)}`,
    ...examples.map(
      ({ line, subject, action, resource, reason }) =>
        `      ${printable(`line ${line}: ${subject} ${action} ${resource}`)}\n        ${style('dim', printable(reason))}`,
    ),
  ]);
  const other = other_policy > 0 ? `, ${other_policy} decided alike by another policy` : '';
  return [
    ...lines,
    ...(lines.length > 0 ? [''] : []),
    `${style('bold', `${changed} of ${counted(replayed, 'replayed decision')}`)} would change against ${printable(against)}${other}.`,
    ...(lost.length > 0 ? [`Not replayable: ${lost.join(', ')}, of ${counted(decisions, 'decision')}.`] : []),
  ].join('\n');
}

function outcomeText({ outcome, policy }: ReplayedOutcome): string {
  const words = { allow: 'allowed', deny: 'denied', failed: 'failed' }[outcome];
  return `${words}${policy === undefined ? '' : ` by ${printable(policy)}`}`;
}
