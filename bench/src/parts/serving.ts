import type { ActivationFigures } from '../activation.js';
import { measureAgent } from '../agent.js';
import { apart } from '../apart.js';
import { measureApplications } from '../applications.js';
import { bar } from '../bars.js';
import { measureNeighbours } from '../neighbours.js';
import { measurePropagation } from '../propagation.js';
import { median } from '../random.js';
import type { RenewalFigures } from '../renewal.js';
import { measureSdks } from '../sdk.js';
import { measureStart } from '../start.js';
import { count, fixed, table } from '../table.js';

export async function agent(): Promise<void> {
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

export function activation(): void {
  const { records, seconds, perRecord } = apart('activation', ['--expose-gc']) as ActivationFigures;
  bar('activation of a million records', seconds, 'at most', 5.3, ' s');
  bar('resident a record', perRecord, 'at most', 260, ' B');
  table(
    'Activation: decode, verify and compile',
    ['records', 's', 'bytes resident a record'],
    [[count(records), fixed(seconds), count(perRecord)]],
  );
}

export function renewal(): void {
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

export async function propagation(): Promise<void> {
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

export async function applications(): Promise<void> {
  const { records, agents, bareBytes, served, told } = await measureApplications();
  const [whole, slice] = agents.map(({ residentBytes }) => residentBytes) as [number, number];
  bar(
    'agent of one application of fifty, resident beyond a bare one, of the whole',
    (slice - bareBytes) / (whole - bareBytes),
    'at most',
    0.2,
  );
  bar(
    'commit served by the agent of one application, p99, of the whole',
    served.slice.p99 / served.whole.p99,
    'at most',
    1.2,
  );
  bar('commits to others that it is told of, of 100', told, 'at most', 5);
  table(
    `Agents of a tenant of ${count(records)} records: fifty applications, 20,000 people; a bare agent takes ${fixed(bareBytes / 2 ** 20, 0)} MiB`,
    ['holds', 'bundle MiB', 'resident MiB', 'commit served p50 ms', 'p99 ms'],
    agents.map(({ of, residentBytes, bundleBytes }) => [
      of === 'whole' ? 'the tenant' : 'one application',
      fixed(bundleBytes / 2 ** 20, 1),
      fixed(residentBytes / 2 ** 20, 0),
      ...[served[of as 'whole'].p50, served[of as 'whole'].p99].map((value) => fixed(value, 0)),
    ]),
  );
}

const START_BARS = [2, 15];
const RECORD_BYTES_MAX = 1.2 * 1024;

export async function start(): Promise<void> {
  const figures = await measureStart();
  for (const [index, { records, ready, perRecord }] of figures.entries()) {
    bar(`cloud ready, ${count(records)} records`, ready, 'at most', START_BARS[index] ?? Number.NaN, ' s');
    bar(`resident a record of ${count(records)}`, perRecord, 'at most', RECORD_BYTES_MAX, ' B');
  }
  table(
    'A cloud that starts on a tenant in an SQLite file, from the start of the process',
    ['records', 's until ready', 's until the first decision', 'bytes resident a record, beyond an empty cloud'],
    figures.map(({ records, ready, decided, perRecord }) => [
      count(records),
      fixed(ready),
      fixed(decided),
      count(perRecord),
    ]),
  );
}

export async function neighbours(): Promise<void> {
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

export async function sdk(): Promise<void> {
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
