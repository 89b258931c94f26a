import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../random.js';
import { MAX_AGE_SECONDS, type ReplicaDeployment } from './replica-deployment.js';

type Fault = (deployment: ReplicaDeployment, random: Random) => Promise<void>;

/** How long something stays cut or hung: mostly for a moment, sometimes for longer than replicas go on without their database. */
const lasting = (random: Random) => pause(random.chance(0.3) ? 6_500 : 200 + random.next() * 1300);

/** Cuts a replica off; if it has no network of its own, only the connections to its database hang. */
async function lose({ replicas }: ReplicaDeployment, random: Random, direction: 'both' | 'in' | 'out'): Promise<void> {
  const { namespace, database } = random.pick(replicas);
  if (namespace === undefined) database.cut();
  else namespace.lose(direction);
  await lasting(random);
  if (namespace === undefined) database.heal();
  else namespace.heal();
}

/** Faults of replicas, their database, agents and the networks between. Each fault is over when its promise is. */
export const REPLICA_FAULTS: { [name: string]: Fault } = {
  'a replica is killed': async ({ replicas }, random) => random.pick(replicas).restart('SIGKILL'),
  'a replica is stopped': async ({ replicas }, random) => random.pick(replicas).restart('SIGTERM'),
  'a replica hangs': async ({ replicas }, random) => {
    const replica = random.pick(replicas);
    replica.signal('SIGSTOP');
    await lasting(random);
    replica.signal('SIGCONT');
  },
  'PostgreSQL is killed': async ({ server }, random) => {
    await server.kill();
    await lasting(random);
    await server.run(['fsync=on']);
  },
  'connections to PostgreSQL are reset': async ({ replicas }, random) => random.pick(replicas).database.reset(),
  'connections to PostgreSQL are half open': async ({ replicas }, random) => {
    const { database } = random.pick(replicas);
    database.cut();
    await lasting(random);
    database.heal();
  },
  'packets to and from a replica are lost': (deployment, random) => lose(deployment, random, 'both'),
  'packets to a replica are lost': (deployment, random) => lose(deployment, random, 'in'),
  'packets from a replica are lost': (deployment, random) => lose(deployment, random, 'out'),
  'PostgreSQL refuses a replica': async ({ replicas }, random) => {
    const { database } = random.pick(replicas);
    database.refuse();
    await lasting(random);
    database.heal();
  },
  'PostgreSQL is far away': async ({ replicas }, random) => {
    const { database } = random.pick(replicas);
    database.slow(2_000 + random.below(5_000));
    await lasting(random);
    database.heal();
  },
  'connections to a replica are reset': async ({ replicas }, random) => random.pick(replicas).front.reset(),
  'connections to a replica are half open': async ({ replicas }, random) => {
    const { front } = random.pick(replicas);
    front.cut();
    await lasting(random);
    front.heal();
  },
  'an agent is killed': async ({ agents }, random) => random.pick(agents).restart('SIGKILL'),
  'an agent is cut off': async ({ agents }, random) => {
    const { network } = random.pick(agents);
    network.cut();
    await pause(random.chance(0.5) ? (MAX_AGE_SECONDS + 2) * 1000 : 1_000);
    network.heal();
  },
  'an agent is frozen past its maximum age': async ({ agents }, random) => {
    const { process } = random.pick(agents);
    process.signal('SIGSTOP');
    await pause((MAX_AGE_SECONDS + 2) * 1000);
    process.signal('SIGCONT');
  },
  'the keys of bundles are turned': async (deployment) => {
    await deployment
      .client()
      .rotateBundleKeys()
      .catch(() => {});
  },
};

/** Lets one fault after another happen until `over`, each kind equally often; returns what happened. */
export async function injectReplicaFaults(
  deployment: ReplicaDeployment,
  random: Random,
  over: () => boolean,
): Promise<string[]> {
  const happened: string[] = [];
  const names = Object.keys(REPLICA_FAULTS);
  for (let round: string[] = []; !over(); ) {
    if (round.length === 0) round = random.some(names, names.length);
    const name = round.pop() as string;
    happened.push(name);
    await REPLICA_FAULTS[name]?.(deployment, random);
    await pause(500 + random.next() * 1000);
  }
  return happened;
}
