import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { asking } from './agent/tenant-fixture.js';
import { CloudProcess } from './cloud/cloud-process.js';

let home: string;
let cloud: CloudProcess;
let agent: AgentProcess;
let env: Record<string, string>;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-max-age-'));
  cloud = new CloudProcess(join(home, 'cloud'));
  const admin = await cloud.client();
  const { secret } = await admin.records('api_key').create({ name: 'agent', scopes: ['bundle'] });
  env = agentEnv(home, await cloud.url(), {
    SERVICE_API_KEY: String(secret),
    SERVICE_POLL_INTERVAL: '200ms',
    SERVICE_MAX_AGE: '2s',
    SERVICE_CACHE_DIR: join(home, 'cache'),
  });
  agent = new AgentProcess({ env });
  await agent.healthy(({ status }) => status === 'ok');
}, 60_000);
afterEach(async () => {
  await agent.kill();
  await cloud.kill();
  rmSync(home, { recursive: true, force: true });
});

const item = JSON.parse(asking('alice'));
const search = { subject: item.subject, action: item.action, resource: item.resource };
const without = (member: keyof typeof search) => ({ ...search, [member]: { type: search[member].type } });

/** Every endpoint that decides or searches, with a question. */
const QUESTIONS: [string, object][] = [
  ['/v1/authorize', item],
  ['/access/v1/evaluation', item],
  ['/access/v1/evaluations', { evaluations: [item] }],
  ['/access/v1/search/subject', without('subject')],
  ['/access/v1/search/resource', without('resource')],
  ['/access/v1/search/action', { subject: search.subject, resource: search.resource }],
];

const post = async (path: string, body: object) =>
  await fetch(`${await agent.url()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function refusesEverything(): Promise<void> {
  const refusal = await until(async () => {
    const answer = await agent.get('/readyz');
    if (answer.status !== 503) throw new Error('still ready');
    return await answer.json();
  });
  expect(refusal).toMatchObject({ code: 'too_old', detail: expect.stringMatching(/SERVICE_MAX_AGE allows 2 s/) });
  for (const [path, body] of QUESTIONS) {
    const answer = await post(path, body);
    const text = await answer.text();
    expect(text, path).toContain('too_old');
    expect(text, path).not.toContain('"decision":true');
    if (path !== '/access/v1/evaluations') expect(answer.status, path).toBe(503);
  }
}

describe('an agent with a maximum age', () => {
  it('decides nothing once its cloud has been gone for that long, after a restart neither', async () => {
    expect((await agent.get('/readyz')).status).toBe(200);
    expect((await agent.authorize(asking('alice'))).status).toBe(200);
    await cloud.kill();
    await refusesEverything();

    await agent.kill();
    agent = new AgentProcess({ env });
    await refusesEverything();
  }, 60_000);

  it('decides nothing while its cloud is frozen, and again once that answers', async () => {
    cloud.signal('SIGSTOP');
    await refusesEverything();
    cloud.signal('SIGCONT');
    await until(async () => expect((await agent.get('/readyz')).status).toBe(200));
    expect((await agent.authorize(asking('alice'))).status).toBe(200);
  }, 60_000);
});
