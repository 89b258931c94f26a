import { apart } from '../apart.js';
import { bar } from '../bars.js';
import { measureImpact, measureMillion, type Run } from '../impact.js';
import type { OrgHistoryFigures } from '../org-history.js';
import type { RulesFigures } from '../rules.js';
import { measureServedRules } from '../rules-served.js';
import { count, fixed, table } from '../table.js';
import { measureTerraform, RESOURCES } from '../terraform.js';

/** Times the builtin `terraform_data`. */
const TERRAFORM_BARS: { readonly [command: string]: number } = {
  'create plan': 4,
  apply: 1.6,
  'no-op plan': 3,
  destroy: 1.35,
};

export async function terraform(): Promise<void> {
  const { commands, handshake, resident } = await measureTerraform();
  for (const { name, builtin, ours } of commands)
    bar(`Terraform, ${name}`, ours / builtin, 'at most', TERRAFORM_BARS[name] ?? Number.NaN, ' ×');
  bar('Terraform, handshake, of bare Node', handshake.provider / handshake.bare, 'at most', 2, ' ×');
  bar('Terraform, most resident', resident / 2 ** 20, 'at most', 120, ' MiB');
  table(
    `Terraform with ${count(RESOURCES)} resources, medians of five`,
    ['', 's with terraform_data', 's with this provider', 'ratio', 'median of the ratio of a round'],
    commands.map(({ name, builtin, ours, ratio }) => [
      name,
      fixed(builtin),
      fixed(ours),
      fixed(ours / builtin),
      fixed(ratio),
    ]),
  );
  table(
    'A process of the provider',
    ['', ''],
    [
      ['bare Node, start to first line', `${fixed(handshake.bare, 0)} ms`],
      ['start to handshake', `${fixed(handshake.provider, 0)} ms (${fixed(handshake.provider / handshake.bare)})`],
      ['most resident in an apply', `${count(resident / 2 ** 20)} MiB`],
    ],
  );
}

export async function impact(): Promise<void> {
  const { plans, tests } = await measureImpact();
  const taken = ({ seconds, processor }: Pick<Run, 'seconds' | 'processor'>) =>
    `${fixed(seconds)} (${fixed(processor)})`;
  for (const { sought, change, cold, warm, withAccess } of plans) {
    const what = `plan, ${count(sought)} records, ${change} changed`;
    if (sought === 10_000) bar(what, withAccess.seconds, 'at most', 2, ' s');
    else {
      bar(`${what}, without Access, nothing remembered`, cold.seconds, 'at most', 9, ' s');
      bar(`${what}, without Access`, warm.seconds, 'at most', 4, ' s');
      bar(`${what}, Access`, withAccess.seconds - warm.seconds, 'at most', 1, ' s more');
      bar(`${what}, resident`, withAccess.resident / 2 ** 20, 'at most', 600, ' MiB');
    }
  }
  table(
    'Plans with what they do to access, the start of the CLI included: seconds, and those of processors',
    [
      'records',
      'files',
      'changed',
      'without Access, nothing remembered',
      'without Access, but for the change remembered',
      'with Access',
      'most resident',
    ],
    plans.map(({ records, files, change, cold, warm, withAccess }) => [
      ...[count(records), String(files), change, taken(cold), taken(warm), taken(withAccess)],
      `${count(withAccess.resident / 2 ** 20)} MiB`,
    ]),
  );
  const million = measureMillion();
  bar('access delta of a million records, one policy changed', million.seconds, 'at most', 10, ' s');
  table(
    'Access delta in process, one policy changed',
    ['records', 's (of processors)', 'findings', 'triples'],
    [[count(million.records), taken(million), count(million.findings), count(million.triples)]],
  );
  bar('servicectl test, 10,000 questions in a table', tests.asked.seconds, 'at most', 1.5, ' s');
  bar('servicectl test, 10,000 questions one by one', tests.single.seconds, 'at most', 1.5, ' s');
  bar('servicectl test --mutate', tests.mutated.seconds, 'at most', 20, ' s');
  table(
    'Tests of access, the start of the CLI included',
    ['records', 'questions', 'in a table: s (of processors)', 'one by one', 'in a table, with --mutate'],
    [[count(tests.records), count(tests.questions), ...[tests.asked, tests.single, tests.mutated].map(taken)]],
  );
}

/** These take something from all people of a type: their bar is that of the worst commit. */
const WORST = /^a DENY for everyone.* removed$/;

export async function rules(): Promise<void> {
  const figures = apart('rules') as RulesFigures;
  for (const { kind, p99 } of figures.commits)
    bar(`access rules, ${kind}, p99`, p99, 'at most', WORST.test(kind) ? 1000 : 50, ' ms more');
  table(
    `A commit of one record under ${figures.rules} access rules, ${count(figures.records)} records`,
    ['changed', 'ms more, median', 'p99', 'p99 of processors', 'longest step, ms, p99', 'refused'],
    figures.commits.map(({ kind, median, p99, processors, step, refused }) => [
      ...[kind, fixed(median, 1), fixed(p99, 1), fixed(processors, 1), fixed(step, 1), String(refused)],
    ]),
  );
  const served = await measureServedRules();
  for (const { kind, decisions } of served.commits)
    bar(`decisions beside ${kind}, p99`, decisions.p99, 'at most', 20, ' ms');
  const decisions = ({ p50, p99, max }: typeof served.alone) => [p50, p99, max].map((ms) => fixed(ms, 1)).join(', ');
  table(
    'Over HTTP: such commits one after another, and decisions of their tenant meanwhile',
    ['commits', 'ms, median, without rules', 'with', 'longest', 'decisions, ms: p50, p99, longest'],
    [
      ['none', '', '', '', decisions(served.alone)],
      ...served.commits.map((of) => [
        ...[of.kind, ...[of.bare, of.ruled, of.longest].map((ms) => fixed(ms, 1)), decisions(of.decisions)],
      ]),
    ],
  );
}

/** `clone` is one of github.com/kubernetes/org: nothing of it is part of this repository. */
export function orgHistory(clone: string | undefined): void {
  if (clone === undefined) {
    process.stderr.write(
      'SKIPPED org-history: name a clone of github.com/kubernetes/org, as in `npm run bench -- org-history ../org`.\n',
    );
    return;
  }
  const figures = apart('org-history', [], [clone]) as OrgHistoryFigures;
  const { clock, processor, samples, failed, unreadable } = figures;
  bar('access delta of a commit of kubernetes/org, median', clock.median / 1000, 'at most', 0.3, ' s');
  bar('access deltas of kubernetes/org that failed', failed.length, 'at most', 0);
  bar('wrong in those that were enumerated', samples.wrong.length, 'at most', 0);
  const row = (what: string, value: number | string) => [what, typeof value === 'number' ? count(value) : value];
  const seconds = (of: typeof clock) =>
    [of.median, of.p95, of.max].map((milliseconds) => fixed(milliseconds / 1000, 3)).join(', ');
  table(
    'The history of kubernetes/org, each commit against its first parent',
    ['', ''],
    [
      row('commits (on the first-parent line)', `${count(figures.commits)} (${count(figures.mainline)})`),
      row('that leave the organizations as they are', figures.unchanged),
      ...Object.entries(unreadable).map(([why, commits]) => row(`cannot be read: ${why}`, commits)),
      row('deltas', figures.deltas),
      row('s by the clock: median, p95, most', seconds(clock)),
      row('s of processors: median, p95, most', seconds(processor)),
      row('findings (most of one commit)', `${count(figures.findings)} (${count(figures.largest.findings)})`),
      row('permissions that change', figures.permissions),
      row('records of the largest tenant', figures.largest.records),
      row('commits enumerated', samples.commits),
      row('triples asked of the engine (that change)', `${count(samples.triples)} (${count(samples.changed)})`),
      row('of these asked of the naive evaluator', samples.naive),
      row('minutes', fixed(figures.minutes, 0)),
    ],
  );
  for (const line of [...failed, ...samples.wrong]) process.stdout.write(`\n${line}\n`);
}
