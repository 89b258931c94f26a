import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { check } from './history/check.js';
import { Deployment } from './history/deployment.js';
import { record } from './history/run.js';
import { residentMib } from './memory.js';
import { chosenSeed, Random } from './random.js';
import { perHour, type Sample } from './slope.js';

/** Set by `npm run soak`; without it there is no soak. */
const MINUTES = Number(process.env.SERVICE_SOAK_MINUTES ?? 0);
/** The first quarter is for warming up: caches fill, and code is compiled. */
const WARM_UP = 0.25;
const SAMPLES = 60;
/** The growth above which something leaks. Short soaks see garbage come and go, and cannot tell so well. */
const MIB_PER_HOUR_MAX = MINUTES >= 30 ? 20 : 100;

describe.skipIf(MINUTES === 0)('a soak', () => {
  it(
    `of ${MINUTES} minutes leaves memory flat and the history sound`,
    async () => {
      const dir = mkdtempSync(join(tmpdir(), 'soak-'));
      const deployment = await Deployment.start(dir);
      const samples = new Map<string, Sample[]>();
      const startedAt = performance.now();
      const sample = () => {
        const hours = (performance.now() - startedAt) / 3_600_000;
        const pids = [
          ['cloud', deployment.cloudPid] as const,
          ...deployment.agents.map((a) => [a.name, a.process.pid] as const),
        ];
        const shown = pids.map(([name, pid]) => {
          const mib = residentMib(pid) ?? 0;
          samples.set(name, [...(samples.get(name) ?? []), { hours, mib }]);
          return `${name} ${mib.toFixed(1)} MiB`;
        });
        process.stdout.write(`${(hours * 60).toFixed(1)} min: ${shown.join(', ')}\n`);
      };
      const timer = setInterval(sample, (MINUTES * 60_000) / SAMPLES);
      try {
        const load = {
          seconds: MINUTES * 60,
          faults: false,
          writers: 2,
          commitEveryMs: 2_000,
          readers: 1,
          askEveryMs: 150,
          ballast: 2_000,
        };
        const random = new Random(chosenSeed());
        const { history, oddities } = await record(deployment, load, random);
        const violations = check(history);
        const { commits, answers } = history;
        process.stdout.write(`${commits.length} commits, ${answers.length} answers, ${violations.length} violations\n`);
        for (const [name, own] of samples) {
          const slope = perHour(own.slice(Math.ceil(own.length * WARM_UP)));
          process.stdout.write(`${name}: ${slope.toFixed(2)} MiB an hour after warming up\n`);
          expect.soft(slope, name).toBeLessThan(MIB_PER_HOUR_MAX);
        }
        expect(violations).toEqual([]);
        expect([...oddities, ...deployment.deaths]).toEqual([]);
      } finally {
        clearInterval(timer);
        await deployment.stop();
        rmSync(dir, { recursive: true, force: true });
      }
    },
    (MINUTES + 5) * 60_000,
  );
});
