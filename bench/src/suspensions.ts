import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ADMINISTRATOR, BenchCloud, share } from './clouds.js';
import { fillFleetTenant, type Load, startLoads, untilWaiting } from './fleet.js';
import { root } from './processes.js';

export interface SuspensionFigures {
  agents: number;
  /** Milliseconds from the sending of a suspension until the cloud answers that every agent enforces it. */
  enforced: { p50: number; p99: number; max: number };
  /** The same of `servicectl suspend --wait=enforced`, from the start of its process to the end. */
  command: { p50: number; max: number };
}

const COMMANDS = 10;
/** People come and go, but not all at once: the reports about one are written when the next one begins. */
const EVERY_MS = 1000;

/** Suspends and reinstates somebody while `agents` agents wait at one cloud on SQLite, so many times. */
export async function measureSuspensions(agents: number, rounds: number): Promise<SuspensionFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-suspensions-'));
  const cloud = await BenchCloud.start({ folder });
  const loads: Load[] = [];
  try {
    const client = cloud.client();
    loads.push(...startLoads([cloud.url], agents, await fillFleetTenant(client)));
    await untilWaiting(loads, agents, 60);
    const subjects = client.records('subject');
    const enforced: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await wait(EVERY_MS);
      const begun = performance.now();
      const { revision } = await subjects.update('user/subject-1@example.com', { suspended: round % 2 === 0 || null });
      const answer = await client.enforced(String(revision), { timeoutMs: 30_000 });
      if (!answer.enforced || answer.total !== agents) throw new Error(`enforced by ${answer.enforcing} of ${agents}`);
      enforced.push(performance.now() - begun);
    }
    const command: number[] = [];
    for (let round = 0; round < COMMANDS; round++) {
      await wait(EVERY_MS);
      const begun = performance.now();
      await run(cloud, round % 2 === 0 ? 'suspend' : 'reinstate');
      command.push(performance.now() - begun);
    }
    return {
      agents,
      enforced: { p50: share(enforced, 0.5), p99: share(enforced, 0.99), max: share(enforced, 1) },
      command: { p50: share(command, 0.5), max: share(command, 1) },
    };
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
    await cloud.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Throws unless every agent enforces what the command does. */
function run({ url }: BenchCloud, command: 'suspend' | 'reinstate'): Promise<void> {
  const args = [join(root, 'cli/bin/service.js'), command, 'user:subject-2@example.com', '--wait=enforced'];
  const { clientId, clientSecret } = ADMINISTRATOR;
  const env = {
    ...{ PATH: process.env.PATH ?? '', HOME: tmpdir(), SERVICE_CLOUD_URL: url },
    ...{ SERVICE_CLIENT_ID: clientId, SERVICE_CLIENT_SECRET: clientSecret },
  };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}`))));
  });
}
