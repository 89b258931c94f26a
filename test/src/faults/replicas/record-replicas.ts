import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Recorder } from '../history/recorder.js';
import { settleDoubts } from '../history/run.js';
import { firstChanges } from '../history/universe.js';
import type { Random } from '../random.js';
import type { ReplicaHistory } from './check-replicas.js';
import { MAX_AGE_SECONDS, type ReplicaDeployment } from './replica-deployment.js';
import { injectReplicaFaults } from './replica-faults.js';
import { type Operator, type Place, ReplicaRecorder } from './replica-recorder.js';

const WRITERS = 3;
const COMMIT_EVERY_MS = 150;
const ASK_EVERY_MS = 60;
const DUEL_EVERY_MS = 2_000;

export interface RecordedReplicas {
  recorded: ReplicaHistory;
  /** The faults that happened. */
  happened: string[];
  /** Answers that nothing explains. */
  oddities: string[];
  /** Requests that agents refused, since what they knew was too old. */
  tooOld: number;
}

/** Loads replicas and agents while faults happen to them, waits until they have settled, and gives back what was recorded. */
export async function recordReplicas(
  deployment: ReplicaDeployment,
  seconds: number,
  random: Random,
): Promise<RecordedReplicas> {
  // The history is that of a tenant of its own: operators are changed in another one.
  const made = await deployment.client().tenants.create({ name: 'library' });
  const credentials = { clientId: made.client_id, clientSecret: made.client_secret };
  const admin = deployment.client(credentials, 30_000);
  await everywhere(deployment, credentials);
  await admin.changeset({ changes: firstChanges(100) });
  const { secret } = await admin.records('api_key').create({ name: 'reader', scopes: ['decisions'] });
  await deployment.startAgents(admin);
  const operators = await twoOperators(deployment);
  const start = await admin.state();
  await settled(deployment, start.revision);

  const recorder = new Recorder(start, random);
  const asking = new ReplicaRecorder(recorder, random);
  const headers = { authorization: `Bearer ${secret}` };
  const places: Place[] = [
    ...deployment.replicas.map(({ name, front }) => ({ process: name, url: () => front.url, headers })),
    ...deployment.agents.map((agent) => {
      return { process: agent.name, url: () => agent.url, headers: {}, maxAgeMs: MAX_AGE_SECONDS * 1000 };
    }),
  ];
  const work = [
    ...Array.from({ length: WRITERS }, (_, index) =>
      recorder.write(deployment.client(credentials), `writer-${index}`, COMMIT_EVERY_MS),
    ),
    ...places.map((place) => asking.read(place, ASK_EVERY_MS)),
    asking.awaitEnforcement(deployment.client(credentials)),
    asking.duel(deployment, operators, DUEL_EVERY_MS, (operator) => deputyOf(deployment, operator)),
  ];
  const endsAt = performance.now() + seconds * 1000;
  const over = () => performance.now() >= endsAt;
  const happened = await injectReplicaFaults(deployment, random, over);
  recorder.stop();
  asking.stop();
  await Promise.all(work);

  // A replica answers by what it has, which may be old.
  const end = await patiently(async () => {
    const state = await admin.state();
    if (Number.parseInt(state.revision, 10) < Number.parseInt(recorder.newest, 10)) throw new Error('an old answer');
    return state;
  });
  await settled(deployment, end.revision);
  for (const place of places) await asking.ask(place, end.revision);
  await settleDoubts(recorder, admin);
  const { commits, sightings } = recorder;
  const { answers, demands, bounded, enforcements, duels, tooOld } = asking;
  const seen = answers.map(({ process, askedAt, answeredAt, before: revision }) => {
    return { process, askedAt, answeredAt, revision };
  });
  const history = { start, commits, sightings: [...sightings, ...seen], answers, end };
  return {
    recorded: { history, demands, bounded, enforcements, duels },
    happened,
    oddities: [...recorder.oddities, ...asking.oddities],
    tooOld,
  };
}

/** The first administrator, and another operator beside it. */
async function twoOperators(deployment: ReplicaDeployment): Promise<[Operator, Operator]> {
  const first = { client: deployment.client(), name: 'administrator' };
  return [first, await deputyOf(deployment, first)];
}

/** Another operator, whom all replicas know. */
async function deputyOf(deployment: ReplicaDeployment, { client }: Operator): Promise<Operator> {
  const name = `deputy-${randomUUID()}`;
  const made = (await client
    .records('oauth_client')
    .create({ name, scopes: ['credentials', 'records:write'], operator: true } as never)) as unknown as {
    client_id: string;
    client_secret: string;
  };
  const deputy = { clientId: made.client_id, clientSecret: made.client_secret };
  await everywhere(deployment, deputy);
  return { client: deployment.client(deputy), name };
}

/** Waits until all replicas know the credentials of the new tenant. */
async function everywhere({ replicas }: ReplicaDeployment, client: { clientId: string; clientSecret: string }) {
  const body = new URLSearchParams({
    ...{ grant_type: 'client_credentials', client_id: client.clientId, client_secret: client.clientSecret },
  });
  for (const { front } of replicas)
    await patiently(async () => {
      const response = await fetch(`${front.url}/oauth/token`, { method: 'POST', body });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    });
}

async function settled({ agents }: ReplicaDeployment, revision: string): Promise<void> {
  await Promise.all(agents.map(({ process }) => patiently(() => process.serves(revision))));
}

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries >= 20) throw error;
      await pause(500);
    }
  }
}
