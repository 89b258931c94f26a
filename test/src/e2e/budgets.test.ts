import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Change } from '@authz-service/core/state/change';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { AgentStatus } from '@authz-service/sdk/wire';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres, PostgresServer } from '../../../cloud/testing/postgres-server.js';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { bootstrapEnv, CloudProcess } from './cloud/cloud-process.js';

const create = (kind: string, fields: object) => ({ op: 'create', kind, fields }) as Change;
const budget = (max_age?: string) =>
  ({
    op: 'update',
    address: 'resource_type/billing/payment',
    fields: { application: 'billing', name: 'payment', actions: ['read'], ...(max_age !== undefined && { max_age }) },
  }) as unknown as Change;

const CHANGES = [
  create('application', { name: 'billing' }),
  create('resource_type', { application: 'billing', name: 'payment', actions: ['read'], max_age: '10s' }),
  create('resource_type', { application: 'billing', name: 'invoice', actions: ['read'] }),
  ...['payment', 'invoice'].flatMap((type) => [
    create('resource', { type: `billing/${type}`, name: 'one' }),
    create('policy', { name: type, effect: 'ALLOW', resource_type: `billing/${type}`, actions: ['read'] }),
    create('policy_assignment', { policy: type, entity_type: 'subject', entity: 'user/alice' }),
  ]),
  create('subject', { type: 'user', id: 'alice' }),
];

const [subject, action] = [{ type: 'user', id: 'alice' }, { name: 'read' }];
const about = (type: string) => ({ subject, action, resource: { type, id: 'one' } });
/** Every endpoint that asks about one type. */
const questions = (type: string): [string, object][] => [
  ['/v1/authorize', about(type)],
  ['/access/v1/evaluation', about(type)],
  ['/access/v1/evaluations', about(type)],
  ['/access/v1/search/subject', { ...about(type), subject: { type: 'user' } }],
  ['/access/v1/search/resource', { ...about(type), resource: { type } }],
  ['/access/v1/search/action', { subject, resource: { type, id: 'one' } }],
];

let home: string;
let cloud: CloudProcess;
let admin: ServiceClient;

/** Whom `ask` asks, and with what. */
let url: string;
let headers: Record<string, string>;

async function ask(path: string, body: object, more: Record<string, string> = {}) {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, ...more },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  return { status: answer.status, body: (await answer.json()) as any };
}

async function refusesPayments(detail: RegExp): Promise<void> {
  await until(async () => expect((await ask('/v1/authorize', about('payment'))).status).toBe(503));
  for (const [path, question] of questions('payment')) {
    const { status, body } = await ask(path, question);
    expect({ path, status, code: body.code }).toEqual({ path, status: 503, code: 'too_old' });
    expect(body.detail).toMatch(detail);
  }
  for (const [path, question] of questions('invoice')) expect((await ask(path, question)).status, path).toBe(200);
  const both = {
    subject,
    action,
    evaluations: ['payment', 'invoice'].map((type) => ({ resource: about(type).resource })),
  };
  const { status, body } = await ask('/access/v1/evaluations', both);
  expect(status).toBe(200);
  expect(body.evaluations).toMatchObject([
    { decision: false, context: { error: { status: 503, code: 'too_old', message: expect.stringMatching(detail) } } },
    { decision: true },
  ]);
}

async function answersEverything(): Promise<void> {
  for (const type of ['payment', 'invoice'])
    for (const [path, question] of questions(type)) expect((await ask(path, question)).status, path).toBe(200);
  const { body } = await ask('/v1/authorize', { ...about('payment'), options: { explain: true } });
  const { max_age } = body.context.explanation;
  expect(max_age).toMatchObject({ of: 'resource_type/billing/payment', seconds: 10 });
  expect(max_age.age_seconds).toBeLessThanOrEqual(10);
  const other = await ask('/v1/authorize', { ...about('invoice'), options: { explain: true } });
  expect(other.body.context.explanation).not.toHaveProperty('max_age');
}

const metrics = async () => await (await fetch(`${url}/metrics`)).text();

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'budgets-'));
});
afterEach(async () => {
  await cloud.kill();
  rmSync(home, { recursive: true, force: true });
});

describe('an agent whose resource type has a budget', () => {
  let agent: AgentProcess;
  let env: Record<string, string>;

  const start = async () => {
    agent = new AgentProcess({ env });
    url = await agent.url();
  };

  beforeEach(async () => {
    cloud = new CloudProcess(join(home, 'cloud'));
    admin = await cloud.client();
    await admin.changeset({ changes: CHANGES });
    const { secret } = await admin.records('api_key').create({ name: 'agent', scopes: ['bundle'] });
    headers = {};
    env = agentEnv(home, await cloud.url(), {
      SERVICE_API_KEY: String(secret),
      SERVICE_POLL_INTERVAL: '2s',
      SERVICE_CACHE_DIR: join(home, 'cache'),
    });
    await start();
    await agent.healthy(({ status }) => status === 'ok');
  }, 60_000);
  afterEach(() => agent.kill());

  it('decides nothing about the type once its cloud has been gone for that long, after a restart neither', async () => {
    await until(answersEverything);
    const strict = await ask('/v1/authorize', about('invoice'), { 'service-max-age': '0' });
    expect(strict.body.detail).toMatch(/Service-Max-Age allows 0 s/);
    await cloud.kill();
    const detail = /^What is known here is \d+ s old, and max_age of resource_type\/billing\/payment allows 10 s/;
    await refusesPayments(detail);
    expect(await metrics()).toMatch(/service_agent_too_old_total [1-9]/);
    expect((await agent.get('/readyz')).status).toBe(200);
    await agent.logged(({ msg }) => msg.includes('refusing to decide about 1 resource type past their max_age'));
    await agent.kill();
    await start();
    await refusesPayments(detail);
  }, 60_000);

  it('refuses one that it cannot keep, says so, and decides again once the records allow more', async () => {
    const refusal =
      /^The max_age of resource_type\/billing\/payment, 3 s, is less than two poll intervals of this agent \(4 s\)/;
    await admin.changeset({ changes: [budget('3s')] });
    await refusesPayments(refusal);
    await agent.logged(({ level, msg }) => level === 'ERROR' && refusal.test(msg));
    const budgets = async () => ((await (await agent.get('/v1/status')).json()) as AgentStatus).budgets;
    expect(await budgets()).toEqual([{ of: 'resource_type/billing/payment', max_age_seconds: 3, refused: true }]);
    expect(await metrics()).toMatch(/service_agent_refused_budgets 1/);

    await agent.kill();
    await start();
    await agent.logged(({ level, msg }) => level === 'ERROR' && refusal.test(msg));
    await refusesPayments(refusal);
    expect(agent.log.filter(({ msg }) => refusal.test(msg))).toHaveLength(1);

    await admin.changeset({ changes: [budget('10s')] });
    await until(async () => expect((await ask('/v1/authorize', about('payment'))).status).toBe(200));
    await agent.logged(({ msg }) => msg === 'decisions are made about all resource types again');
    await until(answersEverything);
    expect(await budgets()).toEqual([{ of: 'resource_type/billing/payment', max_age_seconds: 10, refused: false }]);
    expect(await metrics()).toMatch(/service_agent_refused_budgets 0/);
    await admin.changeset({ changes: [budget()] });
    await until(async () => expect(await budgets()).toEqual([]));
  }, 60_000);
});

describe.runIf(hasPostgres)('a cloud replica whose resource type has a budget', () => {
  let server: PostgresServer | undefined;
  afterAll(() => server?.stop());

  it('decides nothing about the type once its database has been gone for that long', async () => {
    server = await PostgresServer.start();
    cloud = new CloudProcess(join(home, 'cloud'), { ...bootstrapEnv(), DATABASE_URL: await server.database() });
    admin = await cloud.client();
    await admin.changeset({ changes: CHANGES });
    const { secret } = await admin.records('api_key').create({ name: 'asks', scopes: ['decisions', 'records:read'] });
    headers = { authorization: `Bearer ${String(secret)}` };
    url = await cloud.url();
    await until(answersEverything);
    await server.stop();
    server = undefined;
    await refusesPayments(/max_age of resource_type\/billing\/payment allows 10 s: ask another replica/);
    expect(await metrics()).toMatch(/service_cloud_too_old_total [1-9]/);
  }, 60_000);
});
