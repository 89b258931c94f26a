import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { PGBOUNCER, PostgresServer } from '../../cloud/testing/postgres-server.js';
import { ADMINISTRATOR, BenchCloud, familyProcessorMs, share } from './clouds.js';
import { LeanClient } from './lean-client.js';
import { declaredTenant } from './tenant.js';

export interface ReplicaFigures {
  /** Commits a second in each turn, at one cloud on SQLite and at three replicas on PostgreSQL. */
  commits: { tenants: number; sqlite: CommitFigures[]; replicas: CommitFigures[] }[];
  /** Microseconds of the cloud's processor for a decision, in each turn. */
  decisions: { sqlite: number[]; replicas: number[] };
  /** Milliseconds from the sending of a commit to one replica until another one decides by it. */
  following: { how: string; rounds: number; p50: number; p99: number; max: number }[];
}

export interface CommitFigures {
  perSecond: number;
  /** Milliseconds of processors for a commit: the clouds' and PostgreSQL's. */
  processorMs: number;
}

const TURNS = 3;
const SECONDS = 5;
const WRITERS = 6;
const TENANTS = 30;
const DECISIONS = 4000;
const ASKERS = 8;
const SIZE = { subjects: 200, resources: 300, roles: 20, policies: 100, types: 10 };

/** One cloud on SQLite and three replicas on PostgreSQL, in turns. */
export async function measureReplicas(): Promise<ReplicaFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-replicas-'));
  const server = await PostgresServer.start(['fsync=on']);
  const clouds: BenchCloud[] = [];
  try {
    const start = async (name: string, place: { database?: string; direct?: string }) => {
      mkdirSync(join(folder, name));
      const cloud = await BenchCloud.start({ folder: join(folder, name), ...place });
      clouds.push(cloud);
      return cloud;
    };
    const database = await server.database();
    const told = { database, direct: database };
    const alone = new Side([await start('sqlite', {})]);
    const three = new Side(
      [await start('one', told), await start('two', told), await start('three', told)],
      server.pid,
    );
    await alone.fill();
    await three.fill();
    const commits = [
      { tenants: 1, sqlite: [] as CommitFigures[], replicas: [] as CommitFigures[] },
      { tenants: TENANTS, sqlite: [] as CommitFigures[], replicas: [] as CommitFigures[] },
    ];
    const decisions: ReplicaFigures['decisions'] = { sqlite: [], replicas: [] };
    for (let turn = 0; turn < TURNS; turn++) {
      for (const row of commits) {
        row.sqlite.push(await alone.commits(row.tenants));
        row.replicas.push(await three.commits(row.tenants));
      }
      decisions.sqlite.push(await alone.decisions());
      decisions.replicas.push(await three.decisions());
    }
    const following = [await follow('with NOTIFY', three, 200)];
    await Promise.all(clouds.splice(0).map((cloud) => cloud.end()));
    const pooled = PGBOUNCER === undefined ? database : withPort(database, await server.pooler());
    const untold = new Side([
      await start('four', { database: pooled }),
      await start('five', { database: pooled }),
      await start('six', { database: pooled }),
    ]);
    await untold.signIn();
    following.push(await follow(`without${PGBOUNCER === undefined ? '' : ', behind PgBouncer'}`, untold, 100));
    return { commits, decisions, following };
  } finally {
    await Promise.all(clouds.map((cloud) => cloud.end()));
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}

const QUESTION = {
  subject: { type: 'user', id: 'bench' },
  action: { name: 'bench' },
  resource: { type: 'bench', name: 'bench' },
};
const GRANT = { policy: 'app/bench', entity_type: 'subject', entity: 'user/bench' };
const GRANTED = 'policy_assignment/app/bench//subject/user/bench';

/** Clouds that have the same tenants. */
class Side {
  /** Clients of the first tenant, one of each cloud. */
  #first: LeanClient[] = [];
  /** Clients of each tenant, each of some cloud. */
  #spread: LeanClient[] = [];
  #made = 0;

  constructor(
    readonly clouds: readonly BenchCloud[],
    private readonly database?: number,
  ) {}

  async signIn(): Promise<void> {
    const { clientId, clientSecret } = ADMINISTRATOR;
    this.#first = await Promise.all(this.clouds.map((cloud) => LeanClient.of(cloud, clientId, clientSecret)));
  }

  async fill(): Promise<void> {
    await this.signIn();
    const [cloud] = this.clouds as [BenchCloud];
    const records = [...declaredTenant(SIZE)].map(({ kind, fields }) => ({ op: 'create' as const, kind, fields }));
    const client = cloud.client();
    await client.changeset({ changes: records });
    const policy = {
      application: 'app',
      name: 'bench',
      effect: 'ALLOW',
      resource_type: 'app/bench',
      actions: ['bench'],
    };
    await client.changeset({
      changes: [
        { op: 'create', kind: 'resource_type', fields: { application: 'app', name: 'bench', actions: ['bench'] } },
        { op: 'create', kind: 'resource', fields: { type: 'app/bench', name: 'bench' } },
        { op: 'create', kind: 'subject', fields: { type: 'user', id: 'bench' } },
        { op: 'create', kind: 'policy', fields: policy },
      ],
    });
    const made = [];
    for (let at = 0; at < TENANTS; at++) made.push(await client.tenants.create({ name: `tenant-${at}` }));
    // All of them have heard of the tenants then.
    await wait(1000);
    for (const [at, { client_id, client_secret }] of made.entries()) {
      const own = this.clouds[at % this.clouds.length] as BenchCloud;
      const spread = await LeanClient.of(own, client_id, client_secret);
      await spread.commit({ op: 'create', kind: 'role', fields: { name: 'first' } });
      this.#spread.push(spread);
    }
  }

  /** Commits of one record a second: to one tenant by writers at all clouds, or by one writer of each tenant. */
  async commits(tenants: number): Promise<CommitFigures> {
    const writers =
      tenants === 1
        ? Array.from({ length: WRITERS }, (_, at) => this.#first[at % this.#first.length] as LeanClient)
        : this.#spread;
    const processorMs = this.#processorMs();
    const began = performance.now();
    const end = began + SECONDS * 1000;
    let done = 0;
    const write = async (client: LeanClient) => {
      while (performance.now() < end) {
        await client.commit({ op: 'create', kind: 'role', fields: { name: `made-${this.#made++}` } });
        done++;
      }
    };
    await Promise.all(writers.map(write));
    const seconds = (performance.now() - began) / 1000;
    return { perSecond: done / seconds, processorMs: (this.#processorMs() - processorMs) / done };
  }

  #processorMs(): number {
    const own = this.clouds.reduce((sum, cloud) => sum + cloud.processorMs, 0);
    return own + (this.database === undefined ? 0 : familyProcessorMs(this.database));
  }

  /** Microseconds of the first cloud's processor for a decision. */
  async decisions(): Promise<number> {
    const [cloud, client] = [this.clouds[0] as BenchCloud, this.#first[0] as LeanClient];
    const ask = async (count: number) => {
      for (let at = 0; at < count; at++) await client.post('/v1/authorize', QUESTION);
    };
    await ask(200);
    const before = cloud.processorMs;
    await Promise.all(Array.from({ length: ASKERS }, () => ask(DECISIONS / ASKERS)));
    return ((cloud.processorMs - before) * 1000) / DECISIONS;
  }

  /** Grants or takes away at the first cloud; milliseconds until the last one decides by it. */
  async follow(granted: boolean): Promise<number> {
    const [writer, reader] = [this.#first[0] as LeanClient, this.#first.at(-1) as LeanClient];
    const began = performance.now();
    const committing = writer.commit(
      granted ? { op: 'create', kind: 'policy_assignment', fields: GRANT } : { op: 'delete', address: GRANTED },
    );
    while (JSON.parse(await reader.post('/v1/authorize', QUESTION)).decision !== granted) await wait(1);
    const took = performance.now() - began;
    await committing;
    return took;
  }
}

async function follow(how: string, side: Side, rounds: number): Promise<ReplicaFigures['following'][number]> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    took.push(await side.follow(round % 2 === 0));
    // Otherwise each commit would come right after a look.
    await wait(Math.random() * 100);
  }
  return { how, rounds, p50: share(took, 0.5), p99: share(took, 0.99), max: share(took, 1) };
}
