import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ServiceClient } from '@authz-service/sdk/client';
import { answering, type Running, root, start, stop } from './processes.js';
import { declaredTenant, type Size } from './tenant.js';

export interface PropagationFigures {
  records: number;
  /** Milliseconds from the sending of a revocation to the first denial by the agent, and of that until the cloud answers. */
  enforced: { p50: number; p99: number; max: number };
  committed: { p50: number; p99: number };
  /** Milliseconds of a poll that finds nothing new, as the caller sees it. */
  unchanged: number;
}

const SIZES: Size[] = [
  { subjects: 200, resources: 300, roles: 20, policies: 100, types: 10 },
  { subjects: 2000, resources: 3000, roles: 200, policies: 1000, types: 10 },
  { subjects: 20_000, resources: 30_000, roles: 2000, policies: 10_000, types: 100 },
  { subjects: 200_000, resources: 300_000, roles: 10_000, policies: 100_000, types: 1000 },
];
const ROUNDS = 200;
const CHANGES_PER_COMMIT = 20_000;

/** Built cloud and agent as processes: how soon a committed revocation is enforced, at several sizes of the tenant. */
export async function measurePropagation(sizes = SIZES): Promise<PropagationFigures[]> {
  const figures: PropagationFigures[] = [];
  for (const size of sizes) figures.push(await measure(size));
  return figures;
}

async function measure(size: Size): Promise<PropagationFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-bench-'));
  const running: Running[] = [];
  try {
    const secret = randomBytes(24).toString('base64url');
    const memory = '--max-old-space-size=12000';
    const cloud = await start(
      process.execPath,
      [
        memory,
        join(root, 'cli/bin/service.js'),
        'cloud',
        'start',
        '--data-dir',
        join(folder, 'cloud'),
        '--listen-addr',
        '127.0.0.1:0',
      ],
      { HOME: folder, SERVICE_BOOTSTRAP_CLIENT_ID: 'bench', SERVICE_BOOTSTRAP_CLIENT_SECRET: secret },
    );
    running.push(cloud);
    const client = new ServiceClient({ url: cloud.url, credentials: { clientId: 'bench', clientSecret: secret } });
    const records = await fill(client, size);
    const key = String((await client.records('api_key').create({ name: 'bench', scopes: ['bundle'] })).secret);
    const agent = await start(process.execPath, [memory, join(root, 'agent/bin/service-agent.js')], {
      HOME: folder,
      SERVICE_API_KEY: key,
      SERVICE_CLOUD_URL: cloud.url,
      SERVICE_LISTEN_ADDR: '127.0.0.1:0',
      SERVICE_CACHE_DIR: join(folder, 'cache'),
    });
    running.push(agent);
    await answering(`${agent.url}/readyz`);

    const enforced: number[] = [];
    const committed: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await client.changeset({ changes: [{ op: 'create', kind: 'policy_assignment', fields: GRANT }] });
      while (!(await allows(agent.url))) await wait(1);
      const begun = performance.now();
      const commit = client.changeset({ changes: [{ op: 'delete', address: GRANTED }] });
      const answered = commit.then(() => committed.push(performance.now() - begun));
      while (await allows(agent.url)) await wait(1);
      enforced.push(performance.now() - begun);
      await answered;
    }
    const { activated_by: by } = await new ServiceClient({ url: agent.url }).agentStatus();
    if (by !== 'delta') throw new Error(`the last revision came as ${by}`);
    return {
      records,
      enforced: { p50: share(enforced, 0.5), p99: share(enforced, 0.99), max: share(enforced, 1) },
      committed: { p50: share(committed, 0.5), p99: share(committed, 0.99) },
      unchanged: await measureUnchanged(cloud.url, key),
    };
  } finally {
    await Promise.all(running.map(stop));
    rmSync(folder, { recursive: true, force: true });
  }
}

const GRANT = { policy: 'app/bench', entity_type: 'subject', entity: 'user/bench' } as const;
const GRANTED = 'policy_assignment/app/bench//subject/user/bench';
const QUESTION = JSON.stringify({
  subject: { type: 'user', id: 'bench' },
  action: { name: 'bench' },
  resource: { type: 'bench', name: 'bench' },
});

/** Commits the tenant, in change-sets of many records; returns how many there are. */
export async function fill(client: ServiceClient, size: Size): Promise<number> {
  const records = [...declaredTenant(size)];
  for (let at = 0; at < records.length; at += CHANGES_PER_COMMIT) {
    const part = records.slice(at, at + CHANGES_PER_COMMIT);
    await client.changeset({ changes: part.map(({ kind, fields }) => ({ op: 'create' as const, kind, fields })) });
  }
  const policy = { application: 'app', name: 'bench', effect: 'ALLOW', resource_type: 'app/bench', actions: ['bench'] };
  await client.changeset({
    changes: [
      { op: 'create', kind: 'resource_type', fields: { application: 'app', name: 'bench', actions: ['bench'] } },
      { op: 'create', kind: 'resource', fields: { type: 'app/bench', name: 'bench' } },
      { op: 'create', kind: 'subject', fields: { type: 'user', id: 'bench' } },
      { op: 'create', kind: 'policy', fields: policy },
    ],
  });
  return records.length + 4;
}

/** The agent's decision. Not by `fetch`, whose own cost would blur what is measured. */
function allows(url: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': QUESTION.length };
    const sent = request(`${url}/v1/authorize`, { method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve((JSON.parse(text) as { decision: boolean }).decision));
    });
    sent.on('error', reject);
    sent.end(QUESTION);
  });
}

async function measureUnchanged(cloud: string, key: string): Promise<number> {
  const authorization = `Bearer ${key}`;
  const first = await fetch(`${cloud}/v1/policies/bundle`, { headers: { authorization } });
  const etag = first.headers.get('etag') ?? '';
  await first.body?.cancel();
  const taken: number[] = [];
  for (let turn = 0; turn < 500; turn += 1) {
    const begun = performance.now();
    const answer = await fetch(`${cloud}/v1/policies/bundle`, { headers: { authorization, 'if-none-match': etag } });
    await answer.arrayBuffer();
    if (answer.status !== 304) throw new Error(`the poll answered ${answer.status}`);
    taken.push(performance.now() - begun);
  }
  return share(taken, 0.5);
}

/** The value below which this share of them lies. */
function share(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
