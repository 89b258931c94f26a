/**
 * Measures the product beside its peers in one run and prints a table in Markdown:
 *   npm run bench                  everything
 *   npm run bench -- engine peers  only these
 * Absolute figures belong to a machine; the ratios of one run are what docs/benchmarks.md speaks of.
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { ActivationFigures } from './activation.js';
import { measureAgent } from './agent.js';
import { bar, barRows } from './bars.js';
import { DECISION_STEPS_MAX, measureConditions } from './conditions.js';
import { type EngineFigures, measureEngine } from './engine.js';
import { measureImpact, measureMillion, type Run } from './impact.js';
import { measureNeighbours } from './neighbours.js';
import { measurePeers } from './peers.js';
import type { PlacesFigures } from './places.js';
import { root } from './processes.js';
import { measurePropagation } from './propagation.js';
import { median } from './random.js';
import type { RenewalFigures } from './renewal.js';
import type { RulesFigures } from './rules.js';
import { measureSdks } from './sdk.js';
import { measureTerraform, RESOURCES } from './terraform.js';

const FOUR_CLAUSES =
  'resource.properties.amount < 5000 && resource.properties.state == "open" && ' +
  'subject.properties.limit >= resource.properties.amount && subject.properties.region in ["eu", "us"]';

const fixed = (value: number, digits = 2): string => value.toFixed(digits);
const count = (value: number): string => Math.round(value).toLocaleString('en');

function table(title: string, header: string[], rows: string[][]): void {
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |\n`;
  process.stdout.write(`\n### ${title}\n\n${line(header)}${line(header.map(() => '---'))}${rows.map(line).join('')}`);
}

/** In a process of its own, so that no size is measured on another's heap or profile. */
function engineApart(policies: number, condition = ''): EngineFigures {
  const output = execFileSync(
    process.execPath,
    ['--max-old-space-size=12000', join(root, 'bench/dist/main.js'), '--engine', String(policies), condition],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  return JSON.parse(output);
}

function engine(): void {
  const rows = [100, 1000, 10_000, 100_000, 1_000_000].map((policies) => {
    const { decision, lookup, explained, p99 } = engineApart(policies);
    bar(`engine, ${count(policies)} policies`, decision / lookup, 'at most', 8, ' look-ups');
    if (policies === 1_000_000) bar('engine, 1,000,000 policies, p99', p99, 'at most', 10, ' µs');
    return [
      count(policies),
      fixed(decision),
      fixed(lookup, 3),
      fixed(decision / lookup, 1),
      count(1e6 / decision),
      fixed(p99),
      fixed(explained),
    ];
  });
  table(
    'Engine in process, no condition',
    ['policies', 'µs a decision', 'µs a Map look-up', 'ratio', 'decisions/s', 'p99 µs', 'µs with its reason read'],
    rows,
  );
  const bare = engineApart(10_000);
  const conditional = engineApart(10_000, FOUR_CLAUSES);
  bar('engine, a condition of four clauses', conditional.decision - bare.decision, 'at most', 1.5, ' µs');
  table(
    'A condition of four clauses, 10,000 policies',
    ['µs bare', 'µs with it', 'difference'],
    [[fixed(bare.decision), fixed(conditional.decision), fixed(conditional.decision - bare.decision)]],
  );
}

function conditions(): void {
  const figures = measureConditions().sort((left, right) => right.ms - left.ms);
  bar('the costliest condition of one decision', figures[0]?.ms ?? Number.NaN, 'at most', 5, ' ms');
  table(
    `Until the ${count(DECISION_STEPS_MAX)} steps of one decision are used up, the costliest first`,
    ['condition', 'ms'],
    figures.map(({ what, ms }) => [what, fixed(ms)]),
  );
}

let measuredPlaces: PlacesFigures | undefined;

function placesApart(): PlacesFigures {
  measuredPlaces ??= apart('places', '--expose-gc') as PlacesFigures;
  return measuredPlaces;
}

function places(): void {
  const { records, perRecord, decision, lookup, p99, allowed, byGroup, above } = placesApart();
  bar('a million roles on resources', decision / lookup, 'at most', 8, ' look-ups');
  bar('a million roles on resources, p99', p99 / lookup, 'at most', 30, ' look-ups');
  bar('a million roles on resources, resident a record', perRecord, 'at most', 400, ' B');
  const share = (of: number) => `${Math.round(of * 100)}%`;
  table(
    'A million roles on 100,000 resources five deep, 10,000 subjects in nested groups',
    ['records', 'µs a decision', 'µs a Map look-up', 'p99 µs', 'bytes a record', 'allowed', 'by groups', 'from above'],
    [
      [
        ...[count(records), fixed(decision), fixed(lookup, 3), fixed(p99), count(perRecord)],
        ...[share(allowed), share(byGroup), share(above)],
      ],
    ],
  );
}

function search(): void {
  const { searches } = placesApart();
  for (const { what, p95, found } of searches)
    bar(what, p95, 'at most', found > 0 && !what.includes('first search') ? 50 : 1000, ' ms');
  for (const { what, step } of searches) bar(`${what}: its longest step`, step.own, 'at most', 1, ' ms');
  table(
    'First pages of searches of the same tenant; own steps are those without garbage collection or other processes',
    ['', 'p95 ms', 'p99 of its steps ms', 'longest own ms', 'longest ms', 'found'],
    searches.map(({ what, p95, found, step }) => [
      ...[what, fixed(p95), fixed(step.p99, 4), fixed(step.own), fixed(step.longest), count(found)],
    ]),
  );
}

async function peers(): Promise<void> {
  const { ours, cedar, casbin } = await measurePeers();
  table(
    'In process, 10,000 policies, the same rules',
    ['', 'µs a decision', 'times ours'],
    [
      ['this engine', fixed(ours), '1'],
      ['cedar-wasm', count(cedar), count(cedar / ours)],
      ['casbin', count(casbin), count(casbin / ours)],
    ],
  );
}

async function agent(): Promise<void> {
  const figures = await measureAgent();
  bar('agent over HTTP, of bare node:http', median(figures.shares), 'at least', 0.65);
  bar('agent over HTTP, times Cerbos', figures.agent / figures.cerbos, 'at least', 15);
  bar('warm start', figures.warmStart.seconds, 'at most', 1, ' s');
  table(
    'Agent over HTTP: 10,000 subjects, 100,000 resources, 1,000 roles, 10,000 policies',
    ['', 'requests/s', 'of the bare server'],
    [
      ['bare node:http', count(figures.bare), '1.00'],
      [
        'agent',
        count(figures.agent),
        `${fixed(median(figures.shares))} (${figures.shares.map((share) => fixed(share)).join(' ')})`,
      ],
      ['Cerbos PDP', count(figures.cerbos), fixed(figures.cerbos / figures.bare)],
    ],
  );
  table(
    'The same tenant',
    ['', ''],
    [
      ['records', count(figures.records)],
      ['agent resident under load', `${count(figures.resident / 2 ** 20)} MiB`],
      ['poll that finds nothing new', `${fixed(figures.unchanged)} ms`],
    ],
  );
  table(
    'Warm start, from the start of the process to ready',
    ['records', 's'],
    [[count(figures.warmStart.records), fixed(figures.warmStart.seconds)]],
  );
}

/** What another script of the bench prints as JSON. */
function apart(script: string, ...flags: string[]): unknown {
  const output = execFileSync(
    process.execPath,
    [...flags, '--max-old-space-size=12000', join(root, `bench/dist/${script}.js`)],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  return JSON.parse(output);
}

function activation(): void {
  const { records, seconds, perRecord } = apart('activation', '--expose-gc') as ActivationFigures;
  bar('activation of a million records', seconds, 'at most', 5.3, ' s');
  bar('resident a record', perRecord, 'at most', 260, ' B');
  table(
    'Activation: decode, verify and compile',
    ['records', 's', 'bytes resident a record'],
    [[count(records), fixed(seconds), count(perRecord)]],
  );
}

function renewal(): void {
  const figures = apart('renewal') as RenewalFigures;
  bar('requests while a million records are taken in, p99', figures.p99, 'at most', 25, ' ms');
  table(
    `Requests to an agent while it takes in a bundle of ${count(figures.records)} records`,
    ['requests', 's until it is served', 'p50 ms', 'p99 ms', 'max ms', 'p99 ms before'],
    [
      [
        count(figures.requests),
        fixed(figures.seconds),
        fixed(figures.p50),
        fixed(figures.p99),
        fixed(figures.max),
        fixed(figures.quietP99),
      ],
    ],
  );
}

/** Times the builtin `terraform_data`. */
const TERRAFORM_BARS: { readonly [command: string]: number } = {
  'create plan': 3,
  apply: 1.5,
  'no-op plan': 2.6,
  destroy: 1.3,
};

async function terraform(): Promise<void> {
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

async function propagation(): Promise<void> {
  const figures = await measurePropagation();
  for (const { records, enforced } of figures)
    bar(`revocation enforced, ${count(records)} records, p99`, enforced.p99, 'at most', 250, ' ms');
  table(
    'From the sending of a revocation to the first denial by the agent, cloud and agent on one machine',
    ['records', 'p50 ms', 'p99 ms', 'commit answered p50 ms', 'p99 ms', 'poll that finds nothing new ms'],
    figures.map(({ records, enforced, committed, unchanged }) => [
      count(records),
      ...[enforced.p50, enforced.p99, committed.p50, committed.p99].map((value) => fixed(value, 0)),
      fixed(unchanged),
    ]),
  );
}

async function neighbours(): Promise<void> {
  const figures = await measureNeighbours();
  for (const { load, p99 } of figures) bar(`another tenant's decisions beside ${load}, p99`, p99, 'at most', 20, ' ms');
  table(
    'Decisions of a tenant in the cloud, while ten callers of another one keep 40 conditions with nested macros busy',
    ['these ask for', 'p50 ms', 'p99 ms', 'max ms', 'their answers by status'],
    figures.map(({ load, p50, p99, max, answers }) => [
      load,
      fixed(p50, 1),
      fixed(p99, 1),
      fixed(max, 1),
      Object.entries(answers)
        .map(([status, times]) => `${status}: ${count(times)}`)
        .join(', '),
    ]),
  );
}

/** Times a bare HTTP call of the same language. */
const SDK_BARS: { readonly [language: string]: number } = { Go: 1.25, Python: 1.3, Node: 1.3 };

async function sdk(): Promise<void> {
  const figures = await measureSdks();
  for (const { language, overBare, joined } of figures) {
    bar(
      `a decision by the ${language} SDK, of a bare call`,
      overBare,
      'at most',
      SDK_BARS[language] ?? Number.NaN,
      ' ×',
    );
    for (const [callers, gain] of Object.entries(joined))
      bar(`100 callers joined, ${language} ${callers}, decisions a second`, gain, 'at least', 3, ' ×');
  }
  table(
    'SDKs against one agent',
    [
      '',
      'a decision, of a bare call that encodes and decodes the same',
      'decisions a second of 100 callers, joined over alone',
    ],
    figures.map(({ language, overBare, joined }) => [
      language,
      fixed(overBare),
      Object.entries(joined)
        .map(([callers, gain]) => `${fixed(gain, 1)} (${callers})`)
        .join(', '),
    ]),
  );
}

async function impact(): Promise<void> {
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

/** In a process of its own, so that nothing else is on its heap. */
function rules(): void {
  const output = execFileSync(process.execPath, [join(root, 'bench/dist/rules.js')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const figures: RulesFigures = JSON.parse(output);
  for (const { kind, p99 } of figures.commits) bar(`access rules, ${kind}, p99`, p99, 'at most', 50, ' ms more');
  table(
    `A commit of one record under ${figures.rules} access rules, ${count(figures.records)} records`,
    ['changed', 'ms more of processors, median', 'p99', 'longest step, ms', 'refused'],
    figures.commits.map(({ kind, median, p99, step, refused }) => [
      ...[kind, fixed(median, 1), fixed(p99, 1), fixed(step, 1), String(refused)],
    ]),
  );
}

const parts: Record<string, () => void | Promise<void>> = {
  engine,
  conditions,
  places,
  search,
  peers,
  activation,
  renewal,
  agent,
  neighbours,
  propagation,
  terraform,
  sdk,
  impact,
  rules,
};
const [first, ...rest] = process.argv.slice(2);
if (first === '--engine') {
  process.stdout.write(JSON.stringify(measureEngine(Number(rest[0]), rest[1] || undefined)));
} else {
  const wanted = first === undefined ? Object.keys(parts) : [first, ...rest];
  const unknown = wanted.filter((name) => parts[name] === undefined);
  if (unknown.length > 0) {
    process.stderr.write(`There is no part "${unknown[0]}": choose from ${Object.keys(parts).join(', ')}.\n`);
    process.exit(1);
  }
  process.stdout.write(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model}\n`);
  for (const name of wanted) await parts[name]?.();
  table('Bars', ['', 'measured', 'bar', ''], barRows());
}
