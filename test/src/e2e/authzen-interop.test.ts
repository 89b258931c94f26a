import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { askingBySdk } from '../conformance/asking-by-sdk.js';
import type { AskAuthzen } from '../conformance/authzen-cases.js';
import { Asker, LANGUAGES, Unsayable } from '../sdk/asker.js';
import { AgentProcess, agentEnv } from './agent/agent-process.js';
import { Workbench } from './cli/workbench.js';

const example = (name: string) => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));

/*
 * The tenants for the working group's interop applications, asked over HTTP as these do: by the application's backend, by
 * the gateways before it, and by the search application; and the same questions by the SDKs. What is expected follows from the
 * rules in the examples' READMEs.
 */
let bench: Workbench;
const agents: AgentProcess[] = [];
/** By tenant: where and how to ask. The applications send a credential to an agent, too. */
const points = new Map<string, { url: string; ask: AskAuthzen }>();
const SDKS = ['Node', ...LANGUAGES].map((language) => `by the ${language} SDK`);
const WAYS = ['cloud', 'agent', ...SDKS.flatMap((sdk) => [`cloud ${sdk}`, `agent ${sdk}`])];
const askers: [string, Asker][] = [];

beforeAll(async () => {
  for (const language of LANGUAGES) askers.push([language, await Asker.start(language)]);
  bench = await Workbench.create();
  const cloud = await bench.startCloud();
  await Promise.all(
    ['authzen-todo', 'authzen-search'].map(async (name) => {
      const env = await cloud.tenant(name);
      await bench.json(['apply', example(name), '--yes'], { env });
      const key = async (scope: string) =>
        (await bench.json<{ secret: string }>(['keys', 'create', scope, '--scope', scope], { env })).secret;
      const agent = new AgentProcess({
        env: agentEnv(bench.folder, cloud.url, {
          SERVICE_API_KEY: await key('bundle'),
          SERVICE_CACHE_DIR: bench.path(name),
        }),
      });
      agents.push(agent);
      await agent.healthy(({ status }) => status === 'ok');
      const apiKey = await key('decisions');
      for (const [place, url, credentials] of [
        ['cloud', cloud.url, { apiKey }],
        ['agent', await agent.url(), undefined],
      ] as const) {
        points.set(`${name} ${place}`, { url, ask: asking(url, credentials?.apiKey ?? 'of-no-meaning') });
        const byNode = askingBySdk(new ServiceClient({ url, credentials }));
        points.set(`${name} ${place} by the Node SDK`, { url, ask: byNode });
        for (const [language, asker] of askers)
          points.set(`${name} ${place} by the ${language} SDK`, { url, ask: asker.asking({ url, ...credentials }) });
      }
    }),
  );
});
afterAll(async () => {
  await Promise.all([...agents.map((agent) => agent.kill()), ...askers.map(([, asker]) => asker.stop())]);
  await bench.close();
});

const asking =
  (url: string, credential: string): AskAuthzen =>
  async (path, body) => {
    const response = await fetch(`${url}/access/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': path, authorization: `Bearer ${credential}` },
      body: JSON.stringify(body),
    });
    expect(response.headers.get('x-request-id')).toBe(path);
    return { status: response.status, body: await response.json() };
  };

async function post(point: string, path: Parameters<AskAuthzen>[0], body: object): Promise<Record<string, unknown>> {
  const { ask } = points.get(point) ?? expect.fail(point);
  const { status, body: answer } = await ask(path, body);
  expect(status, JSON.stringify(answer)).toBe(200);
  return answer;
}

const sub = (digit: number) =>
  Buffer.from(`\n$fd${digit}614d3-c39a-4781-b7bd-8b96f5a5100d\x12\x05local`).toString('base64');
const todo = (digit: number) => `7240d0db-8ff0-41ec-98b2-34a096273b9${digit}`;

/** Actions that the roles allow on the user's own todos and on those of others. Everybody may read. */
const EDITOR = { own: 'create update delete', others: '' };
const VIEWER = { own: '', others: '' };
const ADMIN_AND_EVIL_GENIUS = { own: 'create update delete', others: 'update delete' };

/** `mine` and `other` are recorded todos. */
const PEOPLE = [
  { id: sub(0), mail: 'rick@the-citadel.com', mine: todo(2), other: todo(5), may: ADMIN_AND_EVIL_GENIUS },
  { id: sub(1), mail: 'morty@the-citadel.com', mine: todo(1), other: todo(2), may: EDITOR },
  { id: sub(2), mail: 'summer@the-smiths.com', mine: todo(3), other: todo(1), may: EDITOR },
  { id: sub(3), mail: 'beth@the-smiths.com', mine: todo(4), other: todo(2), may: VIEWER },
  { id: sub(4), mail: 'jerry@the-smiths.com', mine: todo(5), other: todo(3), may: VIEWER },
];

describe.each(WAYS.map((way) => `authzen-todo ${way}`))('%s', (point) => {
  const decide = async (subject: object, name: string, resource: object) =>
    (await post(point, 'evaluation', { subject, action: { name }, resource, context: {} })).decision;

  describe.each(PEOPLE)('$mail', ({ id, mail, mine, other, may: { own, others } }) => {
    const user = { type: 'user', id };
    /** As the application's first draft names users: by e-mail address, and the token's subject beside it. */
    const draft = { type: 'user', id: mail, identity: id };

    it.each([user, draft])('sees todos and users, as %j', async (subject) => {
      expect(await decide(subject, 'can_read_todos', { type: 'todo', id: 'todo-1' })).toBe(true);
      expect(await decide(subject, 'can_read_user', { type: 'user', id: 'beth@the-smiths.com' })).toBe(true);
      expect(await decide(subject, 'can_read_user', { type: 'user', id, userID: id })).toBe(true);
    });

    it('creates, updates and deletes what the roles allow', async () => {
      const someones = (ownerID: string) => ({ type: 'todo', id: 'unrecorded', properties: { ownerID } });
      expect(await decide(user, 'can_create_todo', { type: 'todo', id: 'todo-1' })).toBe(own.includes('create'));
      for (const verb of ['update', 'delete']) {
        const action = `can_${verb}_todo`;
        expect(await decide(user, action, someones(mail)), `${verb} own`).toBe(own.includes(verb));
        expect(await decide(user, action, someones('x@example.com')), `${verb} other`).toBe(others.includes(verb));
      }
    });

    it('does the same to recorded todos, whose owner nobody sends', async () => {
      const recorded = (todoId: string) => ({ type: 'todo', id: todoId, ownerID: 'ignored' });
      for (const verb of ['update', 'delete']) {
        const action = `can_${verb}_todo`;
        expect(await decide(draft, action, recorded(mine)), `${verb} own`).toBe(own.includes(verb));
        expect(await decide(draft, action, recorded(other)), `${verb} other`).toBe(others.includes(verb));
      }
    });

    /** The second is how the working group's backend asks; not every SDK has entities without a type. */
    it.for([{}, { resource: {}, context: {} }])(
      'is told in one request which todos can be updated, as decisions alone, with %j beside them',
      async (defaults, { skip }) => {
        const evaluations = [mail, 'x@example.com', mail].map((ownerID, at) => ({
          resource: { type: 'todo', id: todo(at), properties: { ownerID } },
        }));
        const batch = { subject: user, action: { name: 'can_update_todo' }, evaluations, ...defaults };
        const wanted = [own, others, own].map((verbs) => ({ decision: verbs.includes('update') }));
        const told = await post(point, 'evaluations', batch).catch((error) => {
          skip(error instanceof Unsayable, 'the SDK has no such request');
          throw error;
        });
        expect(told).toEqual({ evaluations: wanted });
      },
    );

    it.each([
      ['GET', '/users/{userId}'],
      ['GET', '/todos'],
      ['POST', '/todos'],
      ['PUT', '/todos/{todoId}'],
      ['DELETE', '/todos/{todoId}'],
    ])('is let pass by a gateway at %s %s as far as some todo may be theirs', async (method, path) => {
      const identity = { type: 'identity', id };
      const wanted = method === 'GET' || own !== '';
      const properties = { uri: `https://todo.example${path}`, path, params: null, ip: '192.0.2.1' };
      for (const route of [
        { type: 'route', id: path },
        { type: 'route', id: path, properties },
      ])
        expect(await decide(identity, method, route)).toBe(wanted);
      expect(await decide(identity, method, { type: 'route', id: '/elsewhere' })).toBe(false);
    });
  });

  it('denies those whom nobody knows', async () => {
    expect(await decide({ type: 'user', id: 'stranger' }, 'can_read_todos', { type: 'todo', id: 'todo-1' })).toBe(
      false,
    );
    expect(await decide({ type: 'identity', id: 'stranger' }, 'GET', { type: 'route', id: '/todos' })).toBe(false);
  });
});

interface SearchTenant {
  subjects: Record<string, { properties: { role: string; department: string } }>;
  applications: { records: { resources: Record<string, { properties: { department: string; owner: string } }> } };
}

const tenant = parse(readFileSync(`${example('authzen-search')}/tenant.yaml`, 'utf8')) as SearchTenant;
const users = Object.entries(tenant.subjects).map(([key, { properties }]) => ({ id: key.slice(5), ...properties }));
const records = Object.entries(tenant.applications.records.resources).map(([id, { properties }]) => ({
  id,
  ...properties,
}));
const ACTIONS = ['view', 'edit', 'delete'] as const;

function may(
  user: (typeof users)[number],
  action: (typeof ACTIONS)[number],
  record: (typeof records)[number],
): boolean {
  const manager = user.role === 'manager';
  const near = record.department === user.department;
  if (record.owner === user.id) return true;
  return action === 'view' ? near || manager : action === 'edit' && near && manager;
}

describe.each(WAYS.map((way) => `authzen-search ${way}`))('%s', (point) => {
  const named = (names: readonly string[]) => names.map((name) => ({ name }));
  const search = async (kind: 'subject' | 'resource' | 'action', body: object) => {
    const { results } = await post(point, `search/${kind}`, body);
    return (results as { id?: string; name?: string }[]).map(({ id, name }) => id ?? name).sort();
  };
  const who = (action: string, id: string) =>
    search('subject', { subject: { type: 'user' }, action: { name: action }, resource: { type: 'record', id } });
  const where = (id: string, action: string) =>
    search('resource', { subject: { type: 'user', id }, action: { name: action }, resource: { type: 'record' } });
  const what = (id: string, record: string) =>
    search('action', { subject: { type: 'user', id }, resource: { type: 'record', id: record } });

  it('has the whole scenario to answer for', () => {
    expect([users.length, records.length]).toEqual([6, 20]);
  });

  it('finds who may do it to a record', async () => {
    for (const record of records)
      for (const action of ACTIONS) {
        const wanted = users.filter((user) => may(user, action, record)).map(({ id }) => id);
        expect(await who(action, record.id), `${action} ${record.id}`).toEqual(wanted);
      }
    expect(await who('edit', '115')).toEqual(['carol', 'dan']);
  });

  it('finds to which records somebody may do it, as identity providers ask', async () => {
    for (const user of users)
      for (const action of ACTIONS) {
        const wanted = records.filter((record) => may(user, action, record)).map(({ id }) => id);
        expect(await where(user.id, action), `${user.id} ${action}`).toEqual(wanted);
      }
    expect(await where('alice', 'delete')).toEqual(['101', '107', '113', '119']);
  });

  it('finds what somebody may do to a record, and decides the same', async () => {
    for (const user of users)
      for (const record of records) {
        const wanted = ACTIONS.filter((action) => may(user, action, record));
        expect(await what(user.id, record.id), `${user.id} ${record.id}`).toEqual(wanted.toSorted());
        const question = { subject: { type: 'user', id: user.id }, resource: { type: 'record', id: record.id } };
        const evaluations = named(ACTIONS).map((action) => ({ action }));
        expect(await post(point, 'evaluations', { ...question, evaluations })).toEqual({
          evaluations: ACTIONS.map((action) => ({ decision: wanted.includes(action) })),
        });
      }
  });

  it('finds nothing where the scenario has nothing', async () => {
    expect(await who('view', '999')).toEqual([]);
    expect(await who('burn', '101')).toEqual([]);
    expect(await where('zoe', 'view')).toEqual([]);
    expect(await where('alice', 'burn')).toEqual([]);
    expect(await what('zoe', '101')).toEqual([]);
    expect(await what('alice', '999')).toEqual([]);
  });

  it('names the searches in its metadata', async () => {
    const { url } = points.get(point) ?? expect.fail(point);
    const response = await fetch(`${url}/.well-known/authzen-configuration`);
    expect(await response.json()).toMatchObject({
      policy_decision_point: url,
      search_subject_endpoint: `${url}/access/v1/search/subject`,
      search_resource_endpoint: `${url}/access/v1/search/resource`,
      search_action_endpoint: `${url}/access/v1/search/action`,
    });
  });
});
