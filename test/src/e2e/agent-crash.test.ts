import { mkdtempSync, readdirSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { revisionNumber } from '@authz-service/core/state/revision';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv } from './agent/agent-process.js';
import { ScriptedCloud, sendBundle } from './agent/scripted-cloud.js';
import { bundleOf, tenant } from './agent/tenant-fixture.js';

const ROUNDS = 8;

let home: string;
let folder: string;
let cloud: ScriptedCloud;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-crash-'));
  folder = join(home, '.service', 'bundles');
  cloud = await ScriptedCloud.start();
});
afterAll(async () => {
  await cloud.stop();
  rmSync(home, { recursive: true, force: true });
});

const start = (cloudUrl: string) =>
  new AgentProcess({
    env: agentEnv(home, cloudUrl, { SERVICE_POLL_INTERVAL: '10ms' }),
  });

const ATTEMPTS = 'activating.json';

describe('an agent that is killed while it writes its cache', () => {
  it('comes back with a revision no older than any it has served, and leaves nothing lying around', async () => {
    let revision = 0;
    // Every poll finds a new revision, so large that most of the time is spent writing.
    cloud.answer(async (request, response) => {
      revision++;
      const bundle = bundleOf(tenant({ revision, ballast: 10_000 }));
      sendBundle(request, response, await cloud.signer.pack(bundle), `"${bundle.revision}"`);
    });

    const restarted: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const agent = start(cloud.url);
      let seen = 0;
      try {
        await agent.healthy(({ bundle_revision }) => {
          if (bundle_revision !== '') seen = Math.max(seen, revisionNumber(bundle_revision));
          return seen > 0;
        });
        // Killed at one of the first steps of a write: as soon as anything in the folder changes.
        let steps = 1 + Math.floor(Math.random() * 4);
        const watcher = watch(folder, (_, name) => {
          // Not of the write: it says that a bundle is being taken in.
          if (name !== ATTEMPTS) steps--;
          if (steps === 0) agent.signal('SIGKILL');
        });
        while (steps > 0) {
          const health = await agent.health().catch(() => undefined);
          seen = Math.max(seen, revisionNumber(health?.bundle_revision ?? '0.0000000000000000'));
        }
        watcher.close();
      } finally {
        await agent.kill();
      }

      const again = start('http://127.0.0.1:9');
      try {
        const health = await again.health();
        expect(health.bundle_revision, JSON.stringify(again.log)).not.toBe('');
        expect(revisionNumber(health.bundle_revision)).toBeGreaterThanOrEqual(seen);
        expect((await again.get('/readyz')).status).toBe(200);
        expect(await again.allows('alice')).toBe(true);
        rmSync(join(folder, ATTEMPTS), { force: true });
        expect(readdirSync(folder)).toEqual([
          'agent-id',
          'bundle-keys.json',
          'bundle.json',
          'bundle.jws',
          'served.json',
        ]);
        restarted.push(seen);
      } finally {
        await again.kill();
      }
    }
    expect(restarted).toHaveLength(ROUNDS);
  }, 120_000);
});
