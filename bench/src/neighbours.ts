import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ServiceClient } from '@authz-service/sdk/client';
import { root, start, stop } from './processes.js';

/** How long this tenant's decisions take. */
export interface NeighbourFigures extends AnswerTimes {
  /** The load of the other tenant. */
  load: string;
  /** The answers of the other tenant by status. */
  answers: Record<string, number>;
}

const POLICIES = 40;
const CALLERS = 10;
const SECONDS = 10;
/** How often this tenant asks. */
const EVERY_MS = 5;
const LIST = Array.from({ length: 60 }, (_, at) => at);
const HEAVY = 'context.list.all(a, context.list.all(b, context.list.all(c, a + b + c >= 0))) && context.never';

const question = (context: object) => ({
  subject: { type: 'user', id: 'u' },
  resource: { type: 'doc', id: 'd' },
  action: { name: 'read' },
  context,
});
const heavy = question({ list: LIST, never: false });

/** Requests that the other tenant's ten callers send, again and again. */
const LOADS: [load: string, path: string, body: object][] = [
  ['decisions', '/v1/authorize', heavy],
  ['decisions explained', '/v1/authorize', { ...heavy, options: { explain: true } }],
  ['batches of 100', '/access/v1/evaluations', { ...heavy, evaluations: Array(100).fill({}) }],
  ['searches of subjects', '/access/v1/search/subject', { ...heavy, subject: { type: 'user' } }],
];

/**
 * A built cloud as a process, and two tenants: one asks small questions at a constant rate, while ten callers of the
 * other one, each as fast as it is answered, ask what forty conditions with nested macros decide.
 */
export async function measureNeighbours(): Promise<NeighbourFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-bench-'));
  const secret = randomBytes(24).toString('base64url');
  const arguments_ = ['cloud', 'start', '--data-dir', folder, '--listen-addr', '127.0.0.1:0'];
  const cloud = await start(process.execPath, [join(root, 'cli/bin/service.js'), ...arguments_], {
    HOME: folder,
    SERVICE_BOOTSTRAP_CLIENT_ID: 'bench',
    SERVICE_BOOTSTRAP_CLIENT_SECRET: secret,
  });
  try {
    const operator = new ServiceClient({ url: cloud.url, credentials: { clientId: 'bench', clientSecret: secret } });
    const quiet = await fill(operator, 1, 'true');
    const made = await operator.tenants.create({ name: 'loud' });
    const credentials = { clientId: made.client_id, clientSecret: made.client_secret };
    const loud = await fill(new ServiceClient({ url: cloud.url, credentials }), POLICIES, HEAVY);

    const figures = [{ load: 'nothing', ...(await asked(cloud.url, quiet)), answers: {} }];
    for (const [load, path, body] of LOADS) {
      const other = startLoad({ url: cloud.url + path, key: loud, body });
      await wait(1000);
      const times = await asked(cloud.url, quiet);
      figures.push({ load, ...times, answers: await endLoad(other) });
    }
    return figures;
  } finally {
    await stop(cloud);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes a tenant of so many policies with this condition, and returns an API key for decisions. */
async function fill(client: ServiceClient, policies: number, condition: string): Promise<string> {
  const create = (kind: string, fields: object) => ({ op: 'create', kind, fields });
  const users = ['u', ...Array.from({ length: 200 }, (_, at) => `u${at}`)];
  const names = Array.from({ length: policies }, (_, at) => `p${at}`);
  const changes = [
    create('application', { name: 'app' }),
    create('resource_type', { application: 'app', name: 'doc', actions: ['read'] }),
    create('resource', { type: 'app/doc', name: 'd' }),
    create('group', { name: 'all' }),
    ...users.map((id) => create('subject', { type: 'user', id })),
    ...users.map((id) => create('group_membership', { group: 'all', entity_type: 'subject', entity: `user/${id}` })),
    ...names.map((name) =>
      create('policy', {
        application: 'app',
        name,
        effect: 'ALLOW',
        resource_type: 'app/doc',
        actions: ['read'],
        condition,
      }),
    ),
    ...names.map((name) => create('policy_assignment', { policy: `app/${name}`, entity_type: 'group', entity: 'all' })),
  ];
  await client.changeset({ changes: changes as Parameters<ServiceClient['changeset']>[0]['changes'] });
  return String((await client.records('api_key').create({ name: 'bench', scopes: ['decisions'] })).secret);
}

export interface AnswerTimes {
  /** Milliseconds. */
  p50: number;
  p99: number;
  max: number;
}

/** Asks a small question at a constant rate, whether it is answered or not, until `end` is fulfilled. */
export async function askedUntil(url: string, key: string, body: object, end: Promise<unknown>): Promise<AnswerTimes> {
  const agent = new Agent({ keepAlive: true });
  const text = JSON.stringify(body);
  const pending: Promise<number>[] = [];
  let ended = false;
  const ending = end.finally(() => {
    ended = true;
  });
  for (let sent = 0, begun = performance.now(); !ended; sent += 1) {
    await wait(Math.max(0, begun + sent * EVERY_MS - performance.now()));
    const sentAt = performance.now();
    pending.push(
      post(`${url}/v1/authorize`, key, text, agent).then((status) => {
        if (status !== 200) throw new Error(`the quiet tenant was answered ${status}`);
        return performance.now() - sentAt;
      }),
    );
  }
  await ending;
  const times = (await Promise.all(pending)).sort((left, right) => left - right);
  agent.destroy();
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** Not by `fetch`, whose own cost would blur what is measured. */
function post(url: string, key: string, body: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', reject)
      .end(body);
  });
}

interface Load {
  url: string;
  key: string;
  body: object;
}

const asked = (url: string, key: string) => askedUntil(url, key, question({}), wait(SECONDS * 1000));

/** In a process of its own, so that it does not hold up what is measured. */
function startLoad(load: Load): ChildProcess {
  const script = fileURLToPath(import.meta.url);
  return spawn(process.execPath, [script, '--load', JSON.stringify(load)], { stdio: ['pipe', 'pipe', 'inherit'] });
}

async function endLoad(child: ChildProcess): Promise<Record<string, number>> {
  let text = '';
  child.stdout?.on('data', (part) => {
    text += String(part);
  });
  child.stdin?.end();
  await once(child, 'close');
  return JSON.parse(text) as Record<string, number>;
}

async function load({ url, key, body }: Load): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const answers: Record<string, number> = {};
  let ended = false;
  process.stdin.resume().on('end', () => {
    ended = true;
  });
  const text = JSON.stringify(body);
  const caller = async () => {
    while (!ended) {
      const status = await post(url, key, text, agent);
      answers[status] = (answers[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  agent.destroy();
  process.stdout.write(JSON.stringify(answers));
}

if (process.argv[2] === '--load') await load(JSON.parse(process.argv[3] ?? ''));
