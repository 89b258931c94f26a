import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres } from '../../../cloud/testing/postgres-server.js';
import { chosenSeed, Random } from './random.js';
import { checkReplicas } from './replicas/check-replicas.js';
import { recordReplicas } from './replicas/record-replicas.js';
import { ReplicaDeployment } from './replicas/replica-deployment.js';
import { REPLICA_FAULTS } from './replicas/replica-faults.js';

/** Set by `npm run soak -- replicas`; without it there is no run. */
const SECONDS = Number(process.env.SERVICE_REPLICA_FAULT_SECONDS ?? 0);

let dir: string;
let random: Random;
let deployment: ReplicaDeployment;

describe.skipIf(!hasPostgres || SECONDS === 0)('replicas on one PostgreSQL and their agents under faults', () => {
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'fault-replicas-'));
    random = new Random(chosenSeed());
    deployment = await ReplicaDeployment.start(dir, random);
  }, 300_000);
  afterAll(async () => {
    await deployment?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it(
    'keep every commit, and what was asked for, reported as enforced and left to operators',
    async () => {
      const { recorded, happened, oddities, tooOld } = await recordReplicas(deployment, SECONDS, random);
      const { history, demands, bounded, enforcements, duels } = recorded;
      const violations = checkReplicas(recorded);
      const acknowledged = history.commits.filter(({ outcome }) => typeof outcome === 'object').length;
      const told = `seed ${random.seed}, after ${happened.join(', ')}`;
      process.stdout.write(
        `${told}\n${acknowledged} commits acknowledged, ${history.answers.length} answers, ${demands.length} from a revision on, ${bounded.length} with a maximum age, ` +
          `${enforcements.length} reports of enforcement, ${duels.length} duels of operators, ${tooOld} refusals as too old: ` +
          `${violations.length} violations\n`,
      );
      expect(violations.slice(0, 20), told).toEqual([]);
      expect(oddities, told).toEqual([]);
      expect(deployment.deaths, told).toEqual([]);

      // Otherwise the test would prove nothing.
      const kinds = Math.min(Object.keys(REPLICA_FAULTS).length, Math.floor(SECONDS / 15));
      expect(new Set(happened).size, told).toBeGreaterThanOrEqual(kinds);
      expect(acknowledged).toBeGreaterThan(SECONDS / 2);
      expect(demands.length).toBeGreaterThan(SECONDS);
      expect(bounded.filter(({ process }) => process.startsWith('replica')).length).toBeGreaterThan(SECONDS);
      expect(enforcements.length).toBeGreaterThan(0);
      expect(duels.filter((duel) => duel.acknowledged === 1).length).toBeGreaterThan(0);
      for (const name of [...deployment.replicas, ...deployment.agents].map((one) => one.name))
        expect(history.answers.filter((answer) => answer.process === name).length, name).toBeGreaterThan(SECONDS / 4);
    },
    (SECONDS + 180) * 1000,
  );
});
