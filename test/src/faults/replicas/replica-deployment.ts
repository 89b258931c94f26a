import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceClient } from '@authz-service/sdk/client';
import { PostgresServer } from '../../../../cloud/testing/postgres-server.js';
import { agentEnv } from '../../e2e/agent/agent-process.js';
import { ADMINISTRATOR, bootstrapEnv, CloudProcess } from '../../e2e/cloud/cloud-process.js';
import { RunningAgent } from '../history/deployment.js';
import { NetworkNamespace } from '../network-namespace.js';
import type { Random } from '../random.js';
import { TcpProxy } from '../tcp-proxy.js';

const REPLICAS = 3;
/**
 * The age of knowledge by which agents of the deployment refuse to decide; a maximum below twice the poll interval is
 * refused.
 */
export const MAX_AGE_SECONDS = 6;
const POLL_INTERVALS = ['1s', '2s', '3s'];

interface Client {
  clientId: string;
  clientSecret: string;
}

/** Three replicas on one PostgreSQL and agents that ask whichever of them, as real processes with networks between. */
export class ReplicaDeployment {
  readonly replicas: RunningReplica[] = [];
  readonly agents: RunningAgent[] = [];
  /** Processes that died although nobody had ended them. */
  readonly deaths: string[] = [];

  private constructor(
    private readonly dir: string,
    private readonly random: Random,
    readonly server: PostgresServer,
    private readonly database: string,
  ) {}

  static async start(dir: string, random: Random): Promise<ReplicaDeployment> {
    const server = await PostgresServer.start(['fsync=on']);
    const deployment = new ReplicaDeployment(dir, random, server, await server.database());
    const starting = Array.from({ length: REPLICAS }, (_, index) => deployment.#replica(index));
    for (const start of await Promise.allSettled(starting)) {
      if (start.status === 'fulfilled') deployment.replicas.push(start.value);
      else deployment.deaths.push(String(start.reason));
    }
    if (deployment.deaths.length === 0) return deployment;
    await deployment.stop();
    throw new Error(deployment.deaths.join('\n'));
  }

  /** Starts agents of a tenant that refuse to decide by what is too old. */
  async startAgents(client: ServiceClient): Promise<void> {
    for (const [index, pollInterval] of POLL_INTERVALS.entries()) {
      const name = `agent-${index}`;
      const { secret } = await client.records('api_key').create({ name, scopes: ['bundle'] });
      // Each connection leads to another replica, as behind a load balancer.
      const network = await TcpProxy.start(() => this.#anyUrl());
      const env = agentEnv(join(this.dir, name), network.url, {
        SERVICE_API_KEY: String(secret),
        SERVICE_POLL_INTERVAL: pollInterval,
        SERVICE_MAX_AGE: `${MAX_AGE_SECONDS}s`,
      });
      this.agents.push(await RunningAgent.start(name, network, env, this.deaths));
    }
  }

  /** A client each of whose requests goes to some replica; it waits for an answer no longer than `timeoutMs`. */
  client(credentials: Client = ADMINISTRATOR, timeoutMs = 3_000): ServiceClient {
    const spread: typeof fetch = (input, init) => {
      const { pathname, search } = new URL(String(input));
      return fetch(`${this.random.pick(this.replicas).front.url}${pathname}${search}`, init);
    };
    const url = this.replicas[0]?.front.url ?? '';
    return new ServiceClient({ url, credentials, retries: 0, attemptTimeoutMs: timeoutMs, fetch: spread });
  }

  /** The operators whose credentials do not end, by what the database holds. */
  async lastingOperators(): Promise<string[]> {
    const rows = (await this.server.admin(
      'select fields from secrets join records on records.pk = secrets.record_pk where operator',
      new URL(this.database).pathname.slice(1),
    )) as { fields: string }[];
    return rows.map(({ fields }) => JSON.parse(fields)).flatMap(({ name, expires_at }) => (expires_at ? [] : [name]));
  }

  async stop(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.stop()));
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    await this.server.stop();
  }

  #anyUrl(): URL | undefined {
    const there = this.replicas.flatMap(({ url }) => (url === undefined ? [] : [new URL(url)]));
    return there.length === 0 ? undefined : this.random.pick(there);
  }

  async #replica(index: number): Promise<RunningReplica> {
    const name = `replica-${index}`;
    const home = join(this.dir, name);
    mkdirSync(home);
    const namespace = NetworkNamespace.create();
    const database = await TcpProxy.start(() => new URL(`http://127.0.0.1:${this.server.port}`), namespace?.outside);
    const url = new URL(this.database);
    url.host = new URL(database.url).host;
    // Only on loopback is plain text the default.
    url.searchParams.set('sslmode', 'disable');
    // One of them is not told of commits, and only looks.
    const told: Record<string, string> = index === 0 ? {} : { DATABASE_DIRECT_URL: url.href };
    const env = { ...bootstrapEnv(), DATABASE_URL: url.href, ...told };
    return await RunningReplica.start(name, { home, env, database, namespace, deaths: this.deaths });
  }
}

interface ReplicaPlace {
  home: string;
  env: Record<string, string>;
  /** The network between it and the database. */
  database: TcpProxy;
  /** The network around the process; absent where none can be made. */
  namespace: NetworkNamespace | undefined;
  deaths: string[];
}

/** A replica over the lives of its processes, with an address that stays. */
export class RunningReplica {
  /** The address on which the process listens while it runs. */
  url: string | undefined;
  #process: CloudProcess;

  private constructor(
    readonly name: string,
    readonly front: TcpProxy,
    private readonly place: ReplicaPlace,
  ) {
    this.#process = this.#newProcess();
  }

  static async start(name: string, place: ReplicaPlace): Promise<RunningReplica> {
    const found: { replica?: RunningReplica } = {};
    const front = await TcpProxy.start(() =>
      found.replica?.url === undefined ? undefined : new URL(found.replica.url),
    );
    const replica = new RunningReplica(name, front, place);
    found.replica = replica;
    await replica.#isUp();
    return replica;
  }

  get database(): TcpProxy {
    return this.place.database;
  }

  get namespace(): NetworkNamespace | undefined {
    return this.place.namespace;
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process.signal(name);
  }

  async restart(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.url = undefined;
    this.#process.signal(signal);
    await this.#process.exited;
    this.#process = this.#newProcess();
    await this.#isUp();
  }

  async stop(): Promise<void> {
    this.url = undefined;
    await this.#process.kill();
    await this.front.stop();
    await this.database.stop();
    this.namespace?.remove();
  }

  #newProcess(): CloudProcess {
    const { home, env, namespace } = this.place;
    return new CloudProcess(home, env, namespace && { prefix: namespace.prefix, host: namespace.inside });
  }

  async #isUp(): Promise<void> {
    const process = this.#process;
    this.url = await process.url();
    process.exited.then(({ code, signal }) => {
      if (this.url !== undefined && process === this.#process)
        this.place.deaths.push(`${this.name} ended (${code ?? signal}): ${process.stderr.slice(-5).join('\n')}`);
    });
  }
}
