/** In a process of its own: what commits of one record cost where access rules judge them. Prints its figures as JSON. */
import type { Change } from '@authz-service/core/state/change';
import { TenantState } from '@authz-service/core/state/tenant-state';
import { KINDS_OF_COMMITS, rules, ungoverned } from './rules-tenant.js';

/** Commits of each kind; the first few are left out, in which the program is compiled. */
const COMMITS = 120;
const WARM_UP = 10;
const NOW = new Date('2026-06-01T00:00:00Z');

/** The cost of judging one kind of commits beyond staging it, in milliseconds by the clock. */
export interface CommitFigures {
  readonly kind: string;
  readonly median: number;
  readonly p99: number;
  /** Milliseconds of processors, the garbage collector's threads among them. */
  readonly processors: number;
  /** 99 of 100 commits have no step for which others wait longer, in milliseconds by the clock. */
  readonly step: number;
  readonly refused: number;
}

export interface RulesFigures {
  readonly records: number;
  readonly rules: number;
  readonly commits: readonly CommitFigures[];
}

interface Staged {
  readonly clock: number;
  readonly processors: number;
  readonly step: number;
  readonly refused: boolean;
}

function staged(state: TenantState, change: Change): Staged {
  let id = 0;
  const steps = state.stageInSteps([change], { now: NOW, newId: () => `id-${++id}`, revision: 2 });
  const [began, used] = [performance.now(), process.cpuUsage()];
  let [from, step, refused] = [began, 0, false];
  try {
    for (let next = steps.next(); ; next = steps.next()) {
      const now = performance.now();
      step = Math.max(step, now - from);
      from = now;
      if (next.done) break;
    }
  } catch (error) {
    if ((error as { code?: string }).code !== 'access_rule_violated') throw error;
    refused = true;
  }
  const { user, system } = process.cpuUsage(used);
  return { clock: performance.now() - began, processors: (user + system) / 1000, step, refused };
}

const records = [...ungoverned()];
const bare = new TenantState(records);
const ruled = new TenantState([...records, ...rules()]);
/** Measures only kinds with this in their name. */
const only = process.argv[2];

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const commits: CommitFigures[] = [];
for (const [kind, changeOf] of Object.entries(KINDS_OF_COMMITS)) {
  if (only !== undefined && !kind.includes(only)) continue;
  const clock: number[] = [];
  const processors: number[] = [];
  const longest: number[] = [];
  let refused = 0;
  for (let at = 0; at < COMMITS + WARM_UP; at++) {
    const without = staged(bare, changeOf(at));
    const judged = staged(ruled, changeOf(at));
    if (at < WARM_UP) continue;
    clock.push(judged.clock - without.clock);
    processors.push(judged.processors - without.processors);
    longest.push(judged.step);
    refused += Number(judged.refused);
  }
  commits.push({
    ...{ kind, median: quantile(clock, 0.5), p99: quantile(clock, 0.99) },
    ...{ processors: quantile(processors, 0.99), step: quantile(longest, 0.99), refused },
  });
}
const figures: RulesFigures = { records: records.length, rules: [...rules()].length, commits };
process.stdout.write(JSON.stringify(figures));
