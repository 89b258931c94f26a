import { apart } from '../apart.js';
import { bar } from '../bars.js';
import { measureImpact, measureMillion, type Run } from '../impact.js';
import type { RulesFigures } from '../rules.js';
import { count, fixed, table } from '../table.js';
import { measureTerraform, RESOURCES } from '../terraform.js';

/** Times the builtin `terraform_data`. */
const TERRAFORM_BARS: { readonly [command: string]: number } = {
  'create plan': 3,
  apply: 1.5,
  'no-op plan': 2.6,
  destroy: 1.3,
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
  bar('service test, 10,000 questions in a table', tests.asked.seconds, 'at most', 1.5, ' s');
  bar('service test, 10,000 questions one by one', tests.single.seconds, 'at most', 1.5, ' s');
  bar('service test --mutate', tests.mutated.seconds, 'at most', 20, ' s');
  table(
    'Tests of access, the start of the CLI included',
    ['records', 'questions', 'in a table: s (of processors)', 'one by one', 'in a table, with --mutate'],
    [[count(tests.records), count(tests.questions), ...[tests.asked, tests.single, tests.mutated].map(taken)]],
  );
}

export function rules(): void {
  const figures = apart('rules') as RulesFigures;
  for (const { kind, p99 } of figures.commits) bar(`access rules, ${kind}, p99`, p99, 'at most', 50, ' ms more');
  table(
    `A commit of one record under ${figures.rules} access rules, ${count(figures.records)} records`,
    ['changed', 'ms more of processors, median', 'p99', 'longest step, ms', 'refused'],
    figures.commits.map(({ kind, median, p99, step, refused }) => [
      ...[kind, fixed(median, 1), fixed(p99, 1), fixed(step, 1), String(refused)],
    ]),
  );
}
