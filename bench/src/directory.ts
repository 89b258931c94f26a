import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { BenchCloud, share } from './clouds.js';
import { LeanClient } from './lean-client.js';
import { answering, type Running, root, start, stop } from './processes.js';
import { random } from './random.js';
import { steadyDecisions } from './steady-decisions.js';

export interface DirectorySize {
  users: number;
  groups: number;
  memberships: number;
}

export interface DirectoryFigures {
  size: DirectorySize;
  /** Seconds and requests of each part of the load. */
  parts: { what: string; requests: number; seconds: number }[];
  seconds: number;
  /** Milliseconds of decisions at the cloud and at an agent, before and during the load. */
  decisions: { where: string; idleP99: number; p50: number; p99: number; max: number }[];
  /** Milliseconds from the sending of a suspension until the agent denies. */
  suspended: { p50: number; p99: number; max: number };
  residentBytes: number;
}

const CONNECTIONS = 8;
/** Members in one request, as identity providers send them. */
const MEMBERS = 100;
const DECISIONS_PER_SECOND = 100;
const IDLE_MS = 20_000;
const SUSPENSIONS = 200;
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** People, groups and memberships that arrive by SCIM at a cloud on SQLite, and an agent of the same tenant. */
export async function measureDirectory(size: DirectorySize): Promise<DirectoryFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-directory-'));
  const cloud = await BenchCloud.start({ folder });
  try {
    const client = cloud.client();
    await client.changeset({
      changes: [
        { op: 'create', kind: 'directory', fields: { name: 'okta', properties: { department: 'department' } } },
        { op: 'create', kind: 'application', fields: { name: 'app' } },
        { op: 'create', kind: 'resource_type', fields: { application: 'app', name: 'page', actions: ['view'] } },
        { op: 'create', kind: 'resource', fields: { type: 'app/page', name: 'home' } },
        { op: 'create', kind: 'group', fields: { name: 'steady' } },
        { op: 'create', kind: 'subject', fields: { type: 'user', id: 'steady' } },
        {
          op: 'create',
          kind: 'group_membership',
          fields: { group: 'steady', entity_type: 'subject', entity: 'user/steady' },
        },
        {
          op: 'create',
          kind: 'policy',
          fields: { application: 'app', name: 'view', effect: 'ALLOW', resource_type: 'app/page', actions: ['view'] },
        },
        {
          op: 'create',
          kind: 'policy_assignment',
          fields: { policy: 'app/view', entity_type: 'group', entity: 'steady' },
        },
      ],
    });
    const keyOf = async (name: string, scopes: ('bundle' | 'decisions' | 'directory')[], directory?: string) =>
      String((await client.records('api_key').create({ name, scopes, ...(directory && { directory }) })).secret);
    const scim = LeanClient.at(cloud, await keyOf('okta', ['directory'], 'okta'));
    const decisionKey = await keyOf('decisions', ['decisions']);
    const agent = await start(process.execPath, [join(root, 'agent/bin/service-agent.js')], {
      HOME: folder,
      SERVICE_API_KEY: await keyOf('agent', ['bundle']),
      SERVICE_CLOUD_URL: cloud.url,
      SERVICE_LISTEN_ADDR: '127.0.0.1:0',
      SERVICE_CACHE_DIR: join(folder, 'cache'),
    });
    try {
      await answering(`${agent.url}/readyz`);
      const places = [
        { where: 'cloud', url: cloud.url, key: decisionKey },
        { where: 'agent', url: agent.url },
      ].map(({ where, url, ...key }) => {
        const own = join(folder, where);
        mkdirSync(own, { recursive: true });
        const asked = { perSecond: DECISIONS_PER_SECOND, questions: [questionOf('steady')], folder: own };
        return { where, load: steadyDecisions(url, { ...asked, ...key }) };
      });
      await wait(IDLE_MS);
      const begun = Date.now();
      const parts = await fill(scim, size);
      const ended = Date.now();
      const decisions: DirectoryFigures['decisions'] = [];
      for (const { where, load } of places) {
        const samples = await load.end();
        const taken = (from: number, to: number) =>
          samples.flatMap(([sentAt, ms]) => (sentAt >= from && sentAt < to ? [ms] : []));
        const beside = taken(begun, ended);
        decisions.push({
          where,
          // The first half warms up.
          idleP99: share(taken(begun - IDLE_MS / 2, begun), 0.99),
          ...{ p50: share(beside, 0.5), p99: share(beside, 0.99), max: share(beside, 1) },
        });
      }
      const suspended = await measureSuspensions(scim, agent, () => client.changeset({ changes: [EVERYONE] }));
      return {
        ...{ size, parts, decisions, suspended, seconds: (ended - begun) / 1000 },
        residentBytes: cloud.residentBytes,
      };
    } finally {
      await stop(agent);
      scim.close();
    }
  } finally {
    await cloud.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(
  scim: LeanClient,
  { users, groups, memberships }: DirectorySize,
): Promise<DirectoryFigures['parts']> {
  const parts: DirectoryFigures['parts'] = [];
  const part = async (what: string, requests: number, send: (index: number) => Promise<unknown>) => {
    const begun = performance.now();
    await spread(requests, send, what);
    parts.push({ what, requests, seconds: (performance.now() - begun) / 1000 });
  };
  const userIds: string[] = [];
  await part('people', users, async (index) => {
    userIds[index] = await made(scim, 'Users', {
      ...{ schemas: [USER], userName: userName(index), externalId: `e${index}`, displayName: `User ${index}` },
      ...{ active: true, department: `department ${index % 50}` },
    });
  });
  const groupIds: string[] = [];
  await part('groups', groups, async (index) => {
    groupIds[index] = await made(scim, 'Groups', { schemas: [GROUP], displayName: `group ${index}` });
  });
  const rounds = Math.ceil(memberships / groups / MEMBERS);
  const draw = random(33);
  const starts = Array.from({ length: groups }, () => draw(users));
  // The members of a group follow one another in the list of people with a gap that is none of its divisors.
  await part('memberships', rounds * groups, async (index) => {
    const [group, round] = [index % groups, Math.floor(index / groups)];
    const value = Array.from({ length: Math.min(MEMBERS, memberships / groups) }, (_, at) => ({
      value: userIds[((starts[group] ?? 0) + (round * MEMBERS + at) * 7) % users],
    }));
    const Operations = [{ op: 'add', path: 'members', value }];
    await scim.send('PATCH', `/scim/v2/Groups/${groupIds[group]}?excludedAttributes=members`, { Operations });
  });
  return parts;
}

function userName(index: number): string {
  return `user${index}@example.com`;
}

async function made(scim: LeanClient, collection: string, resource: object): Promise<string> {
  return (JSON.parse(await scim.post(`/scim/v2/${collection}`, resource)) as { id: string }).id;
}

/** Sends each over as many connections as a client has. */
async function spread(count: number, send: (index: number) => Promise<unknown>, what: string): Promise<void> {
  let next = 0;
  const tenth = Math.ceil(count / 10);
  const work = async () => {
    for (let index = next++; index < count; index = next++) {
      await send(index);
      if (index % tenth === 0) process.stderr.write(`${new Date().toISOString()} ${what} ${index}\n`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
}

const EVERYONE = {
  op: 'create',
  kind: 'policy_assignment',
  fields: { policy: 'app/view', entity_type: 'everyone', entity: 'user' },
} as const;

function questionOf(id: string): object {
  return { subject: { type: 'user', id }, action: { name: 'view' }, resource: { type: 'page', name: 'home' } };
}

/** People whom everyone's policy allows until the directory says that they are not active. */
async function measureSuspensions(scim: LeanClient, agent: Running, allowAll: () => Promise<unknown>) {
  await allowAll();
  const asking = LeanClient.at(agent);
  const taken: number[] = [];
  for (let turn = 0; turn < SUSPENSIONS; turn++) {
    const userName = `leaves${turn}@example.com`;
    const id = await made(scim, 'Users', { schemas: [USER], userName });
    const question = questionOf(userName);
    const allowed = async () => JSON.parse(await asking.post('/v1/authorize', question)).decision as boolean;
    while (!(await allowed())) await wait(1);
    const begun = performance.now();
    const Operations = [{ op: 'replace', path: 'active', value: false }];
    const answered = scim.send('PATCH', `/scim/v2/Users/${id}`, { Operations });
    while (await allowed()) await wait(1);
    taken.push(performance.now() - begun);
    await answered;
  }
  asking.close();
  return { p50: share(taken, 0.5), p99: share(taken, 0.99), max: share(taken, 1) };
}
