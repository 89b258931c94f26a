import { join } from 'node:path';
import { ServiceClient } from '@authz-service/sdk/client';
import { AgentProcess, agentEnv } from '../../e2e/agent/agent-process.js';
import { ADMINISTRATOR, CloudProcess } from '../../e2e/cloud/cloud-process.js';
import { TcpProxy } from '../tcp-proxy.js';

/** One with short polls, which never waits at the cloud, and two that do. */
const POLL_INTERVALS = ['100ms', '2s', '10s'];

/** A cloud and its agents as real processes, each agent behind a network of its own. They can be ended and come back. */
export class Deployment {
  /** Processes that died although nobody had ended them. */
  readonly deaths: string[] = [];
  readonly agents: RunningAgent[] = [];
  #cloud: CloudProcess;
  #cloudUrl: URL | undefined;

  private constructor(
    private readonly dir: string,
    /** How writers and readers reach the cloud. */
    readonly front: TcpProxy,
  ) {
    this.#cloud = this.#newCloud();
  }

  static async start(dir: string): Promise<Deployment> {
    let cloudUrl: () => URL | undefined = () => undefined;
    const front = await TcpProxy.start(() => cloudUrl());
    const deployment = new Deployment(dir, front);
    cloudUrl = () => deployment.#cloudUrl;
    await deployment.#cloudIsUp();
    return deployment;
  }

  /** The client of the first administrator, who waits for an answer no longer than `timeoutMs`. */
  admin(timeoutMs = 30_000): ServiceClient {
    return new ServiceClient({
      url: this.front.url,
      credentials: ADMINISTRATOR,
      retries: 0,
      attemptTimeoutMs: timeoutMs,
    });
  }

  get cloudPid(): number | undefined {
    return this.#cloud.pid;
  }

  /** Starts the agents with a key each. */
  async startAgents(): Promise<void> {
    for (const [index, pollInterval] of POLL_INTERVALS.entries()) {
      const name = `agent-${index}`;
      const { secret } = await this.admin()
        .records('api_key')
        .create({ name, scopes: ['bundle'] });
      const network = await TcpProxy.start(() => this.#cloudUrl);
      const env = agentEnv(join(this.dir, name), network.url, {
        SERVICE_API_KEY: String(secret),
        SERVICE_POLL_INTERVAL: pollInterval,
      });
      this.agents.push(await RunningAgent.start(name, network, env, this.deaths));
    }
  }

  signalCloud(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#cloud.signal(name);
  }

  /** Ends the cloud and starts it again on the same data. */
  async restartCloud(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const ended = this.#cloud;
    this.#cloudUrl = undefined;
    ended.signal(signal);
    await ended.exited;
    this.#cloud = this.#newCloud();
    await this.#cloudIsUp();
  }

  /** Waits until every agent serves this revision and nothing ails it. */
  async settled(revision: string): Promise<void> {
    await Promise.all(this.agents.map(({ process }) => process.serves(revision)));
  }

  async stop(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.stop()));
    await this.#cloud.kill();
    await this.front.stop();
  }

  #newCloud(): CloudProcess {
    const cloud = new CloudProcess(join(this.dir, 'cloud'));
    cloud.exited.then(({ code, signal }) => {
      // The one that runs is never ended without another being meant to take its place.
      if (this.#cloudUrl !== undefined && cloud === this.#cloud && signal !== 'SIGKILL')
        this.deaths.push(`the cloud ended (${code ?? signal}): ${cloud.stderr.slice(-5).join('\n')}`);
    });
    return cloud;
  }

  async #cloudIsUp(): Promise<void> {
    this.#cloudUrl = new URL(await this.#cloud.url());
  }
}

/** An agent and its cache, over the lives of its processes. */
export class RunningAgent {
  /** The address on which it listens while it runs. */
  url: string | undefined;

  private constructor(
    readonly name: string,
    readonly network: TcpProxy,
    private readonly env: Record<string, string>,
    private readonly deaths: string[],
    public process: AgentProcess,
  ) {}

  static async start(
    name: string,
    network: TcpProxy,
    env: Record<string, string>,
    deaths: string[],
  ): Promise<RunningAgent> {
    const agent = new RunningAgent(name, network, env, deaths, new AgentProcess({ env }));
    await agent.#isUp();
    return agent;
  }

  async restart(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.url = undefined;
    this.process.signal(signal);
    await this.process.exited;
    this.process = new AgentProcess({ env: this.env });
    await this.#isUp();
  }

  async stop(): Promise<void> {
    this.url = undefined;
    await this.process.kill();
    await this.network.stop();
  }

  async #isUp(): Promise<void> {
    const { process } = this;
    this.url = await process.url();
    process.exited.then(({ code, signal }) => {
      if (this.url !== undefined && process === this.process)
        this.deaths.push(`${this.name} ended (${code ?? signal}): ${JSON.stringify(process.log.slice(-5))}`);
    });
  }
}
