import { setTimeout as pause } from 'node:timers/promises';
import { revisionNumber } from '@authz-service/core/state/revision';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { Random } from '../random.js';
import { CLOUD } from './check.js';
import type { Deployment } from './deployment.js';
import type { History } from './events.js';
import { injectFaults } from './faults.js';
import { type Asked, Recorder } from './recorder.js';
import { firstChanges } from './universe.js';

export interface Load {
  /** For how long commits and questions are sent. */
  seconds: number;
  faults: boolean;
  writers: number;
  /** The mean time between two commits of a writer, and between two questions of a reader, in milliseconds. */
  commitEveryMs: number;
  /** At each place. */
  readers: number;
  askEveryMs: number;
  /** Records beside those that are asked about. */
  ballast: number;
}

export interface Recorded {
  history: History;
  /** The faults that happened. */
  happened: string[];
  /** Answers that nothing explains. */
  oddities: string[];
}

/** Loads a deployment, lets faults happen to it, waits until it has settled, and gives back what was recorded. */
export async function record(deployment: Deployment, load: Load, random: Random): Promise<Recorded> {
  const admin = deployment.admin();
  await admin.changeset({ changes: firstChanges(load.ballast) });
  const { secret } = await admin.records('api_key').create({ name: 'reader', scopes: ['decisions', 'records:read'] });
  await deployment.startAgents();
  const start = await admin.state();
  // An agent that a fault keeps from its first bundle answers nothing, and asks again by its poll schedule: up to 10 s.
  await deployment.settled(start.revision);

  const recorder = new Recorder(start, random);
  const places = placesOf(deployment, String(secret));
  const work = [
    ...times(load.writers, (index) => recorder.write(deployment.admin(3_000), `writer-${index}`, load.commitEveryMs)),
    ...places.flatMap((place) => times(load.readers, () => recorder.read(place, load.askEveryMs))),
  ];
  const endsAt = performance.now() + load.seconds * 1000;
  const over = () => performance.now() >= endsAt;
  const happened = load.faults ? await injectFaults(deployment, random, over) : [];
  while (!over()) await pause(100);
  recorder.stop();
  await Promise.all(work);

  const end = await admin.state();
  await deployment.settled(end.revision);
  for (const place of places) await recorder.ask(place, true);
  await settleDoubts(recorder, admin);
  const { commits, sightings, answers, oddities } = recorder;
  return { history: { start, commits, sightings, answers, end }, happened, oddities };
}

function placesOf({ front, agents }: Deployment, apiKey: string): Asked[] {
  return [
    { process: CLOUD, url: () => front.url, headers: { authorization: `Bearer ${apiKey}` } },
    ...agents.map((agent) => ({ process: agent.name, url: () => agent.url, headers: {} })),
  ];
}

/** An attempt that nobody answered may have been carried out after the next one was refused. The audit names it. */
export async function settleDoubts({ doubtful }: Recorder, admin: ServiceClient): Promise<void> {
  if (doubtful.size === 0) return;
  const byId = new Map([...doubtful].map((commit) => [commit.id, commit]));
  for await (const { request_id, revision } of admin.audit({ limit: 1000 })) {
    const commit = byId.get(request_id);
    if (commit === undefined || revisionNumber(revision) === 0) continue;
    commit.outcome = { revision };
    commit.answeredAt = Number.POSITIVE_INFINITY;
  }
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
