import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeclaredRecord } from '@authz-service/core/records/registry';
import { ServiceClient } from '@authz-service/sdk/client';
import { cerbosQuestion, startCerbos } from './cerbos.js';
import { load } from './load.js';
import { answering, type Running, root, script, start, stop } from './processes.js';
import { median } from './random.js';
import { declaredTenant, questions, type Size } from './tenant.js';

export interface AgentFigures {
  /** Requests per second. */
  agent: number;
  bare: number;
  cerbos: number;
  /** The agent's share of the bare server's rate in each round. */
  shares: number[];
  records: number;
  /** Seconds from the start of the process to a 200 of /readyz with a cached bundle of so many records. */
  warmStart: { seconds: number; records: number };
  /** Resident bytes of the agent under load. */
  resident: number;
  /** Milliseconds of a poll that finds nothing new, as the caller sees it. */
  unchanged: number;
}

const SIZE: Size = { subjects: 10_000, resources: 100_000, roles: 1000, policies: 10_000, types: 100 };
/** A hundred thousand records. */
const WARM_SIZE: Size = { subjects: 6600, resources: 66_150, roles: 660, policies: 6600, types: 100 };
const WARM_STARTS = 5;
/** Agent and bare server in short turns, so that whatever else slows the machine down falls on both. */
const ROUNDS = 9;
const ROUND_SECONDS = 3;
const CERBOS_ROUNDS = 3;

/** The built agent, fed by the built cloud, beside a bare `node:http` server and the Cerbos PDP, in turns. */
export async function measureAgent(): Promise<AgentFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-bench-'));
  const running: Running[] = [];
  try {
    const small = await serving(declaredTenant(WARM_SIZE), join(folder, 'warm'), running);
    const warmStart = { seconds: await measureWarmStart(small), records: small.records };
    await stop(small.cloud);

    const { cloud, key, records, startAgent } = await serving(declaredTenant(SIZE), join(folder, 'whole'), running);
    await stop(await startAgent());
    const agent = await startAgent();
    const unchanged = await measureUnchanged(cloud.url, key);
    await stop(cloud);

    const asked = questions(SIZE, 2000);
    const sample = await fetch(`${agent.url}/v1/authorize`, post(asked[0]));
    const bare = await start(process.execPath, [script('bare-server')], {
      ANSWER: await sample.text(),
      REVISION: String(sample.headers.get('service-revision')),
    });
    running.push(bare);
    await sameAnswer(agent.url, bare.url, asked[0]);
    const cerbos = await startCerbos(SIZE, folder);
    running.push(cerbos);
    await compare(agent.url, cerbos.url, asked.slice(0, 200));

    const ours = asked.map((question) => JSON.stringify(question));
    const theirs = asked.map((question) => JSON.stringify(cerbosQuestion(SIZE, question)));
    const rates = { agent: [] as number[], bare: [] as number[], cerbos: [] as number[] };
    load(bare.url, '/v1/authorize', ours, folder, ROUND_SECONDS);
    load(agent.url, '/v1/authorize', ours, folder, ROUND_SECONDS);
    load(cerbos.url, '/access/v1/evaluation', theirs, folder, ROUND_SECONDS);
    for (let round = 0; round < ROUNDS; round += 1) {
      rates.bare.push(load(bare.url, '/v1/authorize', ours, folder, ROUND_SECONDS));
      rates.agent.push(load(agent.url, '/v1/authorize', ours, folder, ROUND_SECONDS));
    }
    for (let round = 0; round < CERBOS_ROUNDS; round += 1)
      rates.cerbos.push(load(cerbos.url, '/access/v1/evaluation', theirs, folder, ROUND_SECONDS));
    return {
      agent: median(rates.agent),
      bare: median(rates.bare),
      cerbos: median(rates.cerbos),
      shares: rates.agent.map((rate, round) => rate / (rates.bare[round] ?? Number.NaN)),
      records,
      warmStart,
      resident: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${agent.child.pid}/status`, 'utf8'))?.[1]) * 1024,
      unchanged,
    };
  } finally {
    await Promise.all(running.map(stop));
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface Serving {
  cloud: Running;
  client: ServiceClient;
  /** For bundles. */
  key: string;
  records: number;
  /** Starts an agent of that cloud, and resolves when it is ready. */
  startAgent(): Promise<Running>;
}

/** A cloud that holds a tenant. What is started is added to `running`. */
export async function serving(tenant: Iterable<DeclaredRecord>, folder: string, running: Running[]): Promise<Serving> {
  const secret = randomBytes(24).toString('base64url');
  const cloud = await start(
    join(root, 'node_modules/.bin/service'),
    ['cloud', 'start', '--data-dir', join(folder, 'cloud'), '--listen-addr', '127.0.0.1:0'],
    { HOME: folder, SERVICE_BOOTSTRAP_CLIENT_ID: 'bench', SERVICE_BOOTSTRAP_CLIENT_SECRET: secret },
  );
  running.push(cloud);
  const client = new ServiceClient({ url: cloud.url, credentials: { clientId: 'bench', clientSecret: secret } });
  const records = await fill(client, tenant);
  const key = String((await client.records('api_key').create({ name: 'bench', scopes: ['bundle'] })).secret);
  const environment = {
    HOME: folder,
    SERVICE_API_KEY: key,
    SERVICE_CLOUD_URL: cloud.url,
    SERVICE_LISTEN_ADDR: '127.0.0.1:0',
    SERVICE_CACHE_DIR: join(folder, 'cache'),
  };
  const startAgent = async () => {
    const agent = await start(join(root, 'node_modules/.bin/service-agent'), [], environment);
    running.push(agent);
    await answering(`${agent.url}/readyz`);
    return agent;
  };
  return { cloud, client, key, records, startAgent };
}

/** Seconds, the bundle being in the cache. */
async function measureWarmStart({ startAgent }: Serving): Promise<number> {
  await stop(await startAgent());
  const taken: number[] = [];
  for (let turn = 0; turn < WARM_STARTS; turn += 1) {
    const begun = performance.now();
    const agent = await startAgent();
    taken.push((performance.now() - begun) / 1000);
    await stop(agent);
  }
  return median(taken);
}

const post = (body: unknown) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

async function fill(client: ServiceClient, tenant: Iterable<DeclaredRecord>): Promise<number> {
  const records = [...tenant];
  const step = 20_000;
  for (let at = 0; at < records.length; at += step) {
    const changes = records.slice(at, at + step).map(({ kind, fields }) => ({ op: 'create' as const, kind, fields }));
    await client.changeset({ changes });
  }
  return records.length;
}

/** Demands that the bare server leaves out work, not bytes. */
async function sameAnswer(agent: string, bare: string, question: unknown): Promise<void> {
  const [ours, theirs] = await Promise.all(
    [agent, bare].map(async (url) => {
      const answer = await fetch(`${url}/v1/authorize`, post(question));
      const headers = [...answer.headers].filter(([name]) => name !== 'date');
      return JSON.stringify([answer.status, headers, await answer.text()]);
    }),
  );
  if (ours !== theirs) throw new Error(`The bare server answers ${theirs} in place of ${ours}`);
}

/** The tenant is the same: agent and Cerbos must answer alike, or the comparison says nothing. */
async function compare(agent: string, cerbos: string, asked: ReturnType<typeof questions>): Promise<void> {
  for (const question of asked) {
    const answers = await Promise.all([
      fetch(`${agent}/v1/authorize`, post(question)),
      fetch(`${cerbos}/access/v1/evaluation`, post(cerbosQuestion(SIZE, question))),
    ]);
    const [ours, theirs] = (await Promise.all(answers.map((answer) => answer.json()))) as { decision: boolean }[];
    if (ours?.decision !== theirs?.decision) throw new Error(`Cerbos and we disagree on ${JSON.stringify(question)}`);
  }
}

async function measureUnchanged(cloud: string, key: string): Promise<number> {
  const authorization = `Bearer ${key}`;
  const etag = (await fetch(`${cloud}/v1/policies/bundle`, { headers: { authorization } })).headers.get('etag') ?? '';
  const taken: number[] = [];
  for (let turn = 0; turn < 200; turn += 1) {
    const begun = performance.now();
    const answer = await fetch(`${cloud}/v1/policies/bundle`, { headers: { authorization, 'if-none-match': etag } });
    await answer.arrayBuffer();
    if (answer.status !== 304) throw new Error(`the poll answered ${answer.status}`);
    taken.push(performance.now() - begun);
  }
  return median(taken);
}
