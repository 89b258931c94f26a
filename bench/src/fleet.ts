import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { revisionNumber } from '@authz-service/core/state/revision';
import type { ServiceClient } from '@authz-service/sdk/client';
import { PostgresServer } from '../../cloud/testing/postgres-server.js';
import { BenchCloud, ended, freePort, processorMs, share } from './clouds.js';
import type { FleetAnswer, FleetOptions, FleetQuestion } from './fleet-load.js';
import { script } from './processes.js';
import { declaredTenant } from './tenant.js';

export interface FleetFigures {
  agents: number;
  /** Milliseconds from the sending of a commit until an agent has it. */
  enforced: { p50: number; p99: number; max: number };
  /** Milliseconds until the commit was answered. */
  committed: { p50: number; p99: number };
  /** The cloud's memory for each agent: while all of them wait for the first commit, and after the last one. */
  bytesPerAgent: { waiting: number; afterCommits: number };
  /** Polls that failed, by cause. */
  failures: FleetAnswer['failures'];
  /** The processor time of a commit and all that it wakes: the clouds', and that of the processes that stand for the agents. */
  processorMs: { clouds: number; agents: number };
}

export interface ReturnFigures {
  outageSeconds: number;
  /** From the moment at which the cloud listens again. */
  secondsUntilAllBack: number;
  commits: number;
  refused: number;
}

/** As an agent has it that is not configured otherwise. */
const POLL_INTERVAL_MS = 30_000;
/** The heap that Node.js chooses by itself in a container of 1 GiB; on a large machine it lets more garbage lie. */
const HEAP_MIB = 512;
/** Sockets of one process. */
const AGENTS_PER_PROCESS = 10_000;
const SIZE = { subjects: 200, resources: 300, roles: 20, policies: 100, types: 10 };

/** `agents` agents that wait at one cloud on SQLite, and that come back after it was away. */
export async function measureFleet(
  agents: number,
  commits: number,
  outages: readonly number[],
): Promise<{ fleet: FleetFigures; returns: ReturnFigures[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-fleet-'));
  const port = await freePort();
  let cloud = await BenchCloud.start({ folder, port, heapMiB: HEAP_MIB });
  const loads: Load[] = [];
  try {
    const apiKey = await fillFleetTenant(cloud.client());
    loads.push(...startLoads([cloud.url], agents, apiKey));
    const fleet = await measureCommits([cloud], loads, agents, { commits, everyMs: 1000 });
    const returns: ReturnFigures[] = [];
    for (const outageSeconds of outages) {
      await cloud.end('SIGKILL');
      await wait(outageSeconds * 1000);
      cloud = await BenchCloud.start({ folder, port, heapMiB: HEAP_MIB });
      returns.push(await measureReturn(cloud, loads, agents, outageSeconds));
    }
    return { fleet, returns };
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
    await cloud.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `agents` agents spread over three replicas on one PostgreSQL. */
export async function measureSpreadFleet(agents: number, commits: number): Promise<FleetFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-fleet-'));
  const server = await PostgresServer.start();
  const clouds: BenchCloud[] = [];
  const loads: Load[] = [];
  try {
    const database = await server.database();
    for (let at = 0; at < 3; at++)
      clouds.push(await BenchCloud.start({ folder, database, direct: database, heapMiB: HEAP_MIB }));
    const [first] = clouds as [BenchCloud];
    const apiKey = await fillFleetTenant(first.client());
    const urls = clouds.map(({ url }) => url);
    await wait(1000);
    loads.push(...startLoads(urls, agents, apiKey));
    return await measureCommits(clouds, loads, agents, { commits, everyMs: 5000 });
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
    await Promise.all(clouds.map((cloud) => cloud.end()));
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Declares the tenant of a fleet; returns the key of its agents. */
export async function fillFleetTenant(client: ServiceClient): Promise<string> {
  const records = [...declaredTenant(SIZE)];
  await client.changeset({
    changes: records.map(({ kind, fields }) => ({ op: 'create' as const, kind, fields })),
  });
  const { secret } = await client.records('api_key').create({ name: 'agents', scopes: ['bundle'] });
  return String(secret);
}

async function measureCommits(
  clouds: readonly BenchCloud[],
  loads: readonly Load[],
  agents: number,
  { commits, everyMs }: { commits: number; everyMs: number },
): Promise<FleetFigures> {
  const resident = () => sum(clouds.map(({ residentBytes }) => residentBytes));
  const before = resident();
  await untilWaiting(loads, agents, 180);
  // Those that were answered last have asked again by then, and what they report is written.
  await wait(2000);
  const waiting = resident();
  const [first] = clouds as [BenchCloud];
  const client = first.client();
  await client.state();
  const cpu = () => ({
    clouds: sum(clouds.map((cloud) => cloud.processorMs)),
    agents: sum(loads.map(({ child }) => processorMs(child.pid))),
  });
  const cpuBefore = cpu();
  const made: { sentAt: number; revision: number }[] = [];
  const committed: number[] = [];
  for (let round = 0; round < commits; round++) {
    const sentAt = now();
    const { revision } = await client.changeset({ changes: [changeOf(round)] });
    committed.push(now() - sentAt);
    made.push({ sentAt, revision: revisionNumber(revision) });
    await wait(Math.max(0, sentAt + everyMs - now()));
  }
  const cpuAfter = cpu();
  const last = made.at(-1)?.revision ?? 0;
  await until(async () => (await ask(loads, { ask: 'reached', revision: last })).reached.length === agents, 60);
  const enforced: number[] = [];
  for (const { sentAt, revision } of made) {
    const { reached } = await ask(loads, { ask: 'reached', revision });
    for (const at of reached) enforced.push(at - sentAt);
  }
  if (enforced.length !== agents * commits)
    throw new Error(`${enforced.length} times, and not ${agents * commits}, an agent got a revision`);
  const { failures } = await ask(loads, { ask: 'counts' });
  return {
    agents,
    enforced: { p50: share(enforced, 0.5), p99: share(enforced, 0.99), max: share(enforced, 1) },
    committed: { p50: share(committed, 0.5), p99: share(committed, 0.99) },
    bytesPerAgent: { waiting: (waiting - before) / agents, afterCommits: (resident() - before) / agents },
    failures,
    processorMs: {
      clouds: (cpuAfter.clouds - cpuBefore.clouds) / commits,
      agents: (cpuAfter.agents - cpuBefore.agents) / commits,
    },
  };
}

/** Commits once a second from the moment at which the cloud is back, until all agents are. */
async function measureReturn(
  cloud: BenchCloud,
  loads: readonly Load[],
  agents: number,
  outageSeconds: number,
): Promise<ReturnFigures> {
  const backAt = now();
  const client = cloud.client();
  let all = false;
  let commits = 0;
  let refused = 0;
  const committing = (async () => {
    for (let round = 0; !all; round++) {
      commits++;
      // The one before it may have been refused.
      const change = { op: 'create' as const, kind: 'role' as const, fields: { name: `back-${backAt}-${round}` } };
      await client.changeset({ changes: [change] }).catch((error: unknown) => {
        process.stderr.write(`a commit was refused: ${error}\n`);
        refused++;
      });
      await wait(1000);
    }
  })();
  await untilWaiting(loads, agents, 90);
  const secondsUntilAllBack = (now() - backAt) / 1000;
  all = true;
  await committing;
  return { outageSeconds, secondsUntilAllBack, commits, refused };
}

export interface Load {
  child: ChildProcess;
  stop(): Promise<void>;
}

export function startLoads(urls: string[], agents: number, apiKey: string): Load[] {
  const loads: Load[] = [];
  for (let left = agents; left > 0; left -= AGENTS_PER_PROCESS) {
    const options: FleetOptions = {
      ...{ urls, apiKey, pollIntervalMs: POLL_INTERVAL_MS },
      agents: Math.min(left, AGENTS_PER_PROCESS),
    };
    const child = fork(script('fleet-load'), [JSON.stringify(options)]);
    loads.push({ child, stop: () => ended(child, 'SIGKILL') });
  }
  return loads;
}

/** Asks all of the loads, and takes their answers together. */
async function ask(loads: readonly Load[], question: FleetQuestion): Promise<FleetAnswer> {
  const answers = await Promise.all(
    loads.map(async ({ child }) => {
      const answered = once(child, 'message');
      child.send(question);
      return (await answered)[0] as FleetAnswer;
    }),
  );
  const failures: FleetAnswer['failures'] = {};
  for (const answer of answers)
    for (const [code, times] of Object.entries(answer.failures)) failures[code] = (failures[code] ?? 0) + times;
  return {
    waiting: sum(answers.map(({ waiting }) => waiting)),
    reached: answers.flatMap(({ reached }) => reached),
    failures,
  };
}

export const untilWaiting = (loads: readonly Load[], agents: number, seconds: number): Promise<void> =>
  until(async () => (await ask(loads, { ask: 'counts' })).waiting === agents, seconds);

async function until(condition: () => Promise<boolean>, seconds: number): Promise<void> {
  for (const end = now() + seconds * 1000; now() < end; await wait(50)) if (await condition()) return;
  throw new Error(`the agents did not get there within ${seconds} s`);
}

/** Grants and takes away in turns. */
function changeOf(round: number) {
  const fields = { role: 'app/role0', entity_type: 'subject', entity: 'user/subject-1@example.com' } as const;
  return round % 2 === 0
    ? ({ op: 'create', kind: 'role_assignment', fields } as const)
    : ({ op: 'delete', address: 'role_assignment/app/role0//subject/user/subject-1@example.com' } as const);
}

const now = (): number => performance.timeOrigin + performance.now();
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
