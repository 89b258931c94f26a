import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../random.js';
import type { Deployment } from './deployment.js';

type Fault = (deployment: Deployment, random: Random) => Promise<void>;

/** How long a connection stays cut, hung or slow. */
const lasting = (random: Random) => pause(200 + random.next() * 1300);
const anyNetwork = ({ front, agents }: Deployment, random: Random) =>
  random.pick([front, ...agents.map(({ network }) => network)]);

/** Faults of processes and networks in production. Each fault is over when its promise is. */
export const FAULTS: { [name: string]: Fault } = {
  'the cloud is killed': (deployment) => deployment.restartCloud('SIGKILL'),
  'the cloud is stopped': (deployment) => deployment.restartCloud('SIGTERM'),
  'the cloud hangs': async (deployment, random) => {
    deployment.signalCloud('SIGSTOP');
    await lasting(random);
    deployment.signalCloud('SIGCONT');
  },
  'an agent is killed': ({ agents }, random) => random.pick(agents).restart('SIGKILL'),
  'an agent is stopped': ({ agents }, random) => random.pick(agents).restart('SIGTERM'),
  'an agent is killed while it is cut off': async ({ agents }, random) => {
    const agent = random.pick(agents);
    agent.network.refuse();
    await agent.restart('SIGKILL');
    await lasting(random);
    agent.network.heal();
  },
  'connections are reset': async (deployment, random) => anyNetwork(deployment, random).reset(),
  'a network is cut': async (deployment, random) => {
    const network = anyNetwork(deployment, random);
    network.cut();
    await lasting(random);
    network.heal();
  },
  'a network refuses': async (deployment, random) => {
    const network = anyNetwork(deployment, random);
    network.refuse();
    await lasting(random);
    network.heal();
  },
  'a network is slow': async (deployment, random) => {
    const network = anyNetwork(deployment, random);
    network.slow(50 + random.below(500));
    await lasting(random);
    network.heal();
  },
  'the keys of bundles are turned': async (deployment) => {
    await deployment
      .admin(3_000)
      .rotateBundleKeys()
      .catch(() => {});
  },
};

/** Lets one fault after another happen until `over`, each kind equally often; returns what happened. */
export async function injectFaults(deployment: Deployment, random: Random, over: () => boolean): Promise<string[]> {
  const happened: string[] = [];
  const names = Object.keys(FAULTS);
  for (let round: string[] = []; !over(); ) {
    if (round.length === 0) round = random.some(names, names.length);
    const name = round.pop() as string;
    happened.push(name);
    await FAULTS[name]?.(deployment, random);
    await pause(random.next() * 300);
  }
  return happened;
}
