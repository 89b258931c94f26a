/**
 * In a process of its own: the access delta of every commit of a clone of github.com/kubernetes/org against its first
 * parent, and samples of them enumerated. Prints its figures as JSON, and on stderr how far it has come.
 *   node org-history.js CLONE
 */
import { execFileSync } from 'node:child_process';
import { computeImpact } from '@authz-service/core/questions/impact/compute-impact';
import { enumerate } from './org-history/enumerate.js';
import { GitObjects } from './org-history/git-objects.js';
import { type State, States } from './org-history/states.js';
import { median } from './random.js';

/** The number of commits that are enumerated, evenly spread over the history. */
const SAMPLES = 24;
const NOW = Date.parse('2026-06-01T00:00:00Z');

export interface OrgHistoryFigures {
  readonly commits: number;
  /** On the first-parent line. */
  readonly mainline: number;
  /** Whose declaration of the organizations is that of their first parent, or reads alike. */
  readonly unchanged: number;
  /** Commits of which a side cannot be read, by why. */
  readonly unreadable: Readonly<Record<string, number>>;
  /** Deltas that failed. */
  readonly failed: readonly string[];
  /** Deltas of commits that change something, in milliseconds: by the clock, and of processors. */
  readonly deltas: number;
  readonly clock: Spread;
  readonly processor: Spread;
  readonly findings: number;
  readonly permissions: number;
  readonly largest: { readonly records: number; readonly findings: number };
  readonly samples: {
    readonly commits: number;
    readonly triples: number;
    readonly changed: number;
    readonly naive: number;
    readonly wrong: readonly string[];
  };
  readonly minutes: number;
}

interface Spread {
  readonly median: number;
  readonly p95: number;
  readonly max: number;
}

const EMPTY: State = { organizations: [], records: [] };
const [, , clone = '.'] = process.argv;
const log = (...flags: string[]) =>
  execFileSync('git', ['-C', clone, 'log', '--reverse', ...flags], { encoding: 'utf8', maxBuffer: 2 ** 28 })
    .trim()
    .split('\n')
    .map((line) => line.split(' '));

const history = log('--topo-order', '--format=%H %P');
const git = new GitObjects(clone);
const states = new States(git);
const every = Math.max(1, Math.floor(history.length / SAMPLES));
const began = performance.now();
const [clock, processor, failed]: [number[], number[], string[]] = [[], [], []];
const unreadable: Record<string, number> = {};
const largest = { records: 0, findings: 0 };
const samples = { commits: 0, triples: 0, changed: 0, naive: 0, wrong: [] as string[] };
let [unchanged, findings, permissions, sampleDue] = [0, 0, 0, false];

for (const [at, [commit = '', parent]] of history.entries()) {
  if (at % every === every >> 1) sampleDue = true;
  if (at % 100 === 99) process.stderr.write(`${at + 1} of ${history.length} commits, ${failed.length} failed\n`);
  const before = parent === undefined ? EMPTY : await states.of(parent);
  const after = await states.of(commit);
  if (typeof before === 'string' || typeof after === 'string') {
    const why = (typeof after === 'string' ? after : (before as string)).replace(/"[^"]*"|:\d+/g, '…');
    unreadable[why] = (unreadable[why] ?? 0) + 1;
    continue;
  }
  if (before === after) {
    unchanged++;
    continue;
  }
  try {
    const used = process.cpuUsage();
    const start = performance.now();
    const impact = computeImpact(before, after, { now: NOW });
    clock.push(performance.now() - start);
    const { user, system } = process.cpuUsage(used);
    processor.push((user + system) / 1000);
    const { counts, findings: found, exact, complete } = impact.delta;
    findings += found.length;
    permissions += Object.values(counts).reduce((sum, count) => sum + count, 0);
    largest.records = Math.max(largest.records, after.records.length);
    largest.findings = Math.max(largest.findings, found.length);
    if (!exact || complete === false || counts.unknown > 0) failed.push(`${commit}: the delta is not exact`);
    if (!sampleDue) continue;
    sampleDue = false;
    const { wrong, ...sizes } = enumerate(before, after, impact, NOW);
    samples.commits++;
    for (const size of ['triples', 'changed', 'naive'] as const) samples[size] += sizes[size];
    samples.wrong.push(...wrong.slice(0, 5).map((one) => `${commit}: ${one}`));
  } catch (error) {
    failed.push(`${commit}: ${(error as Error).stack}`);
  }
}
git.close();

function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((left, right) => left - right);
  return {
    median: median(sorted),
    p95: sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
  };
}

const figures: OrgHistoryFigures = {
  ...{ commits: history.length, mainline: log('--first-parent', '--format=%H').length, unchanged, unreadable, failed },
  ...{ deltas: clock.length, clock: spreadOf(clock), processor: spreadOf(processor), findings, permissions, largest },
  ...{ samples, minutes: (performance.now() - began) / 60_000 },
};
process.stdout.write(JSON.stringify(figures));
