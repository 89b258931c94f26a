import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { filterRows } from '@authz-service/core/questions/filter/row-filter';
import { serving } from './agent.js';
import { FILTER_SUBJECTS, filterQuestion, filterTenant } from './filter-tenant.js';
import { type Running, stop } from './processes.js';
import { median } from './random.js';

export interface FilterSpeed {
  /** How many policies cover the rows of the type. */
  covering: number;
  /** Milliseconds in this process: the median, and of processor time with all that collects garbage. */
  asked: number;
  processor: number;
  /** Characters of the answer. */
  length: number;
}

const COVERING = [45, 216, 5_000];
const TURNS = 1_000;
const REQUESTS = 2_000;

/** Filters of 10,000 policies for subjects in 30 groups with 1,000 roles on resources, by turns for each of the subjects. */
export function measureFilterSpeed(): FilterSpeed[] {
  return COVERING.map((covering) => {
    const records = [...filterTenant(covering)];
    const engine = compileEngine(
      records.map((record) => ({ ...record, id: record.address }) as unknown as EngineRecord),
    );
    const ask = (turn: number) => filterRows(engine, filterQuestion(turn % FILTER_SUBJECTS), Date.now());
    const turns = covering > 1_000 ? TURNS / 10 : TURNS;
    for (let turn = 0; turn < turns; turn++) ask(turn);
    const taken: number[] = [];
    const before = process.cpuUsage();
    for (let turn = 0; turn < turns; turn++) {
      const begun = performance.now();
      ask(turn);
      taken.push(performance.now() - begun);
    }
    const { user, system } = process.cpuUsage(before);
    const { length } = JSON.stringify(ask(0).filter);
    return { covering, asked: median(taken), processor: (user + system) / 1000 / turns, length };
  });
}

/** Milliseconds of `POST /v1/filter` at the agent, one request after the other on one connection: the median and p99. */
export async function measureFiltersAtAgent(covering: number): Promise<{ p50: number; p99: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-bench-'));
  const running: Running[] = [];
  try {
    const { startAgent } = await serving(filterTenant(covering), folder, running);
    const { url } = await startAgent();
    const taken: number[] = [];
    for (let turn = 0; turn < 2 * REQUESTS; turn++) {
      const begun = performance.now();
      const answer = await fetch(`${url}/v1/filter`, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify(filterQuestion(turn % FILTER_SUBJECTS)),
      });
      const { kind } = (await answer.json()) as { kind?: string };
      if (kind !== 'some') throw new Error(`The agent answers ${answer.status} and ${kind}`);
      if (turn >= REQUESTS) taken.push(performance.now() - begun);
    }
    taken.sort((left, right) => left - right);
    return { p50: median(taken), p99: taken[Math.floor(REQUESTS * 0.99)] ?? Number.NaN };
  } finally {
    await Promise.all(running.map(stop));
    rmSync(folder, { recursive: true, force: true });
  }
}
