import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { check } from './history/check.js';
import { Deployment } from './history/deployment.js';
import { FAULTS } from './history/faults.js';
import { record } from './history/run.js';
import { chosenSeed, Random } from './random.js';

/**
 * How long the suite runs this. A longer run finds more: `SERVICE_FAULT_SECONDS=600 npm test -- faults/history.test`.
 */
const SECONDS = Number(process.env.SERVICE_FAULT_SECONDS ?? 25);

let dir: string;
let deployment: Deployment;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'fault-history-'));
  deployment = await Deployment.start(dir);
});
afterAll(async () => {
  await deployment?.stop();
  rmSync(dir, { recursive: true, force: true });
});

describe('a cloud and its agents under faults', () => {
  it(
    'keep every commit, and answer by a revision that was',
    async () => {
      const random = new Random(chosenSeed());
      const load = {
        seconds: SECONDS,
        faults: true,
        writers: 3,
        commitEveryMs: 40,
        readers: 2,
        askEveryMs: 8,
        ballast: 100,
      };
      const { history, happened, oddities } = await record(deployment, load, random);
      const { commits, answers } = history;
      const told = `seed ${random.seed}, after ${happened.join(', ')}`;
      expect(check(history), told).toEqual([]);
      expect(oddities, told).toEqual([]);
      expect(deployment.deaths, told).toEqual([]);

      // Otherwise the test would prove nothing.
      expect(new Set(happened), told).toEqual(new Set(Object.keys(FAULTS)));
      const outcomes = commits.map(({ outcome }) => (typeof outcome === 'object' ? 'acknowledged' : outcome));
      const count = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length;
      expect(count('acknowledged')).toBeGreaterThan(SECONDS);
      expect(count('refused')).toBeGreaterThan(0);
      for (const process of ['cloud', ...deployment.agents.map(({ name }) => name)]) {
        const own = answers.filter((answer) => answer.process === process);
        expect(own.length, process).toBeGreaterThan(SECONDS);
        expect(new Set(own.flatMap(({ decisions }) => decisions)), process).toEqual(new Set([true, false]));
      }
    },
    (SECONDS + 120) * 1000,
  );
});
