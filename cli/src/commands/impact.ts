import type { Impact as AccessImpact } from '@authz-service/core/questions/impact/api/impact';
import type { AccessReport } from '@authz-service/core/questions/impact/report/access-report';
import { string as stringArgument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { connectionFlags } from '../config/connect.js';
import { momentOf } from '../config/moment.js';
import { UsageError } from '../errors/usage-error.js';
import { compared } from '../impact/compared.js';
import { gateFlags } from '../impact/gates/gate-flags.js';
import { reportImpact } from '../impact/report-impact.js';
import { openSource, type SourceOptions } from '../impact/sources/open-source.js';
import type { Source } from '../impact/sources/source.js';
import { reportFlags, writeReports } from '../impact/write-reports.js';
import { commandLine } from '../output/command-line.js';
import { Progress } from '../output/progress.js';
import { err, out } from '../output/terminal.js';
import { counted } from '../output/text.js';
import { wrapped } from '../output/wrap.js';
import { type Outcome, ServiceCommand } from '../service-command.js';

/** Lines of pairs written at once. */
const PAIRS_CHUNK = 1000;

export default class Impact extends ServiceCommand {
  static override summary = 'Show who may do what after a change that they may not do before, and the reverse.';
  static override description =
    `Compares two states of a tenant and lists everything that becomes possible and impossible, with the changed records \
that bring it: for recorded subjects and resources and for those without a record, from now on. docs/impact.md explains \
what it says.

OLD and NEW are each one of: a folder of YAML files; a Git revision of one, like main:tenant/ (nothing is checked out); \
a bundle, as the cloud serves it; the output of "terraform show -json" of a saved plan; "cloud" or the URL of a service, \
for its tenant now, "cloud@42" or "cloud@2027-03-01" for a revision or time of its history; "none". A Terraform plan alone stands for its own before and after. "./cloud" is a folder of that name.

With -e dev -e prod, OLD alone is read in both environments: who may do what in prod that they may not in dev.

The gates make the exit code 1 if what they demand does not hold, also where that cannot be said; so do enforced access \
rules in either state that the change breaks.`;
  static override examples = [
    {
      description: 'What differs in access between two environments?',
      command: 'servicectl impact tenant -e dev -e prod',
    },
    { description: 'What does this branch do to access?', command: 'servicectl impact main:tenant/ tenant/' },
    {
      description: 'The same for Terraform',
      command: 'terraform show -json plan.tfplan > plan.json && servicectl impact plan.json --with cloud',
    },
    {
      description: 'As part of a comment on a pull request',
      command: 'servicectl impact main:tenant/ tenant/ --markdown',
    },
    {
      description: 'In a pipeline: nobody may get more access than before',
      command: 'servicectl impact main:tenant/ tenant/ --no-new-access --junit access.xml',
    },
  ];
  static override args = {
    old: stringArgument({ description: 'The state before, or a Terraform plan.', required: true, ignoreStdin: true }),
    new: stringArgument({ description: 'The state after.', ignoreStdin: true }),
  };
  static override flags = {
    now: string({
      description: 'The start of what is looked at (RFC 3339); by default the present time.',
      helpValue: 'TIME',
    }),
    with: string({
      description: 'Records of other stacks, on both sides: where they are, written like OLD; may be repeated.',
      helpValue: 'SOURCE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    environment: string({
      char: 'e',
      description: 'Read trees in this environment; given twice, OLD in the first and NEW in the second.',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
    }),
    tenant: string({ description: 'Which tenant of a bundle that holds several.', helpValue: 'NAME' }),
    'bundle-jwks': string({ description: 'The keys that must have signed a bundle: a JWKS.', helpValue: 'FILE' }),
    ...gateFlags,
    all: boolean({ description: 'Show every finding, however many.', helpGroup: 'OUTPUT' }),
    members: boolean({ description: 'List the recorded subjects of each finding.', helpGroup: 'OUTPUT' }),
    'counts-only': boolean({
      description: 'Print counts and no names.',
      helpGroup: 'OUTPUT',
      exclusive: ['members', 'pairs'],
    }),
    markdown: boolean({
      description: 'Print Markdown, for a pull request.',
      helpGroup: 'OUTPUT',
      exclusive: ['json', 'pairs'],
    }),
    pairs: boolean({
      description: 'Print one line of JSON for each recorded subject, action and resource whose answer changes.',
      helpGroup: 'OUTPUT',
    }),
    ...reportFlags,
    ...connectionFlags,
  };

  override async run(): Promise<Outcome> {
    const { args, flags } = await this.parse(Impact);
    const now = momentOf(flags.now);
    const progress = new Progress(err);
    const warn = (text: string) => progress.warning(text);
    try {
      progress.phase('Reading');
      const { before, after, context } = await this.#sources(args, flags, warn);
      const states = compared(before, after, context);
      for (const note of states.notes) await progress.say(`${err.style('cyan', 'note:')} ${note}`);
      progress.phase('Comparing access');
      const { impact, report, stale } = await reportImpact(states.before, states.after, {
        now,
        gaps: states.gaps,
        members: flags.members,
        flags,
      });
      progress.done();
      if (stale.length > 0) {
        await warn(
          `${flags.baseline} has ${counted(stale.length, 'finding')} that the change no longer brings: ${stale.join(', ')}.`,
        );
      }
      const { 'counts-only': countsOnly } = flags;
      await writeReports(report, flags, this.config.version);
      const exitCode = report.gates?.some(({ passed }) => !passed) ? 1 : 0;
      if (flags.pairs) {
        await writePairs(impact);
        return { json: undefined, exitCode };
      }
      const labels = { before: before.label, after: after.label };
      return { json: jsonOf(report, labels, countsOnly), text: await textOf(report, args, flags), exitCode };
    } finally {
      progress.done();
    }
  }

  async #sources(
    args: { old: string; new?: string | undefined },
    flags: Omit<SourceOptions, 'connection' | 'signal' | 'warn' | 'jwks' | 'environment'> & {
      'bundle-jwks'?: string | undefined;
      with?: string[] | undefined;
      environment?: string[] | undefined;
      url?: string | undefined;
      profile?: string | undefined;
    },
    warn: (text: string) => Promise<void>,
  ): Promise<{ before: Source; after: Source; context: Source[] }> {
    const { tenant, 'bundle-jwks': jwks, url, profile, environment: environments = [] } = flags;
    if (environments.length > 2)
      throw new UsageError('-e names two environments at most: one for OLD and one for NEW.');
    const [first, second = first] = environments;
    const options = { connection: { url, profile }, signal: this.signal, tenant, jwks };
    const later = args.new ?? (environments.length === 2 ? args.old : undefined);
    // What is wrong with the old state is past; only the new one can still be mended.
    const [old, next, ...context] = await Promise.all([
      openSource(args.old, { ...options, environment: first, warn: later === undefined ? warn : async () => {} }),
      later === undefined ? undefined : openSource(later, { ...options, environment: second, warn }),
      ...(flags.with ?? []).map((spec) => openSource(spec, { ...options, warn: async () => {} })),
    ]);
    if (old === undefined) throw new Error('the old state was not read');
    if (next === undefined && !old.differ) {
      throw new UsageError(
        `"${args.old}" is one state: name the one to compare it with. Only a Terraform plan holds two.`,
      );
    }
    return {
      before: old.before,
      after: (next ?? old).after,
      context: context.flatMap((pair) => (pair === undefined ? [] : [pair.after])),
    };
  }
}

function jsonOf(report: AccessReport, labels: { before: string; after: string }, countsOnly: boolean): object {
  if (!countsOnly) return { ...labels, ...report };
  const { format, now, counts, exact, gates, gaps = [], findings } = report;
  const changes: Record<string, number> = {};
  for (const { change } of findings) changes[change] = (changes[change] ?? 0) + 1;
  return {
    format,
    now,
    counts,
    exact,
    finding_counts: changes,
    ...(gaps.length > 0 && { gap_count: gaps.length }),
    ...(gates && { gates: gates.map(({ gate, passed, findings: ids }) => ({ gate, passed, findings: ids })) }),
  };
}

async function textOf(
  report: AccessReport,
  args: { old: string; new?: string | undefined },
  flags: {
    json: boolean;
    markdown: boolean;
    all: boolean;
    'counts-only': boolean;
    with?: string[] | undefined;
    environment?: string[] | undefined;
  },
): Promise<string | undefined> {
  if (flags.json) return undefined;
  const { 'counts-only': countsOnly, all } = flags;
  if (flags.markdown) {
    const { renderAccessMarkdown, renderVerdictMarkdown } = await import(
      '@authz-service/core/questions/impact/report/render-access-markdown'
    );
    const sources = [args.old, ...(args.new === undefined ? [] : [args.new])];
    const others = (flags.with ?? []).flatMap((source) => ['--with', source]);
    const environments = (flags.environment ?? []).flatMap((environment) => ['-e', environment]);
    const allCommand = commandLine('impact', [...sources, ...environments, ...others], '--all');
    return `${renderVerdictMarkdown(report, {}, countsOnly)}\n${renderAccessMarkdown(report, { countsOnly, allCommand })}`.trimEnd();
  }
  const { renderAccessText } = await import('@authz-service/core/questions/impact/report/render-access-text');
  const text = renderAccessText(report, { style: out.style, all, countsOnly }).join('\n').trimEnd();
  return wrapped(text, out.columns);
}

async function writePairs(impact: AccessImpact): Promise<void> {
  let lines: string[] = [];
  for (const pair of impact.pairs()) {
    lines.push(JSON.stringify(pair));
    if (lines.length < PAIRS_CHUNK) continue;
    await out.line(lines.join('\n'));
    lines = [];
  }
  if (lines.length > 0) await out.line(lines.join('\n'));
}
