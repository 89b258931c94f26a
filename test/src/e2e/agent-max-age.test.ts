import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { asking } from './agent/tenant-fixture.js';
import { CloudProcess } from './cloud/cloud-process.js';

/** Passes requests on; once it is frozen, it answers as the cloud did last, without asking it. */
class RepeatingProxy {
  frozen = false;
  /** Whether it keeps to itself when the answer was the newest, as clouds did that did not sign that. */
  strips = false;
  /** How many answers were repeated. */
  repeated = 0;
  #last: { status: number; headers: [string, string][] } | undefined;

  private constructor(
    readonly url: string,
    private readonly server: Server,
  ) {}

  static async start(cloudUrl: string): Promise<RepeatingProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new RepeatingProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
    server.on('request', (request, response) => {
      const repeated = proxy.frozen ? proxy.#last : undefined;
      if (repeated !== undefined) {
        proxy.repeated++;
        response.writeHead(repeated.status, Object.fromEntries(repeated.headers)).end();
        return;
      }
      const headers = Object.entries(request.headers).filter(([name]) => !/^(host|connection)$/.test(name));
      fetch(`${cloudUrl}${request.url}`, { headers: headers as [string, string][] }).then(
        async (answer) => {
          const told = [...answer.headers].filter(
            ([name]) =>
              !/^(connection|keep-alive|transfer-encoding)$/.test(name) && !(proxy.strips && name === 'bundle-newest'),
          );
          if (answer.status === 304) proxy.#last = { status: 304, headers: told };
          response.writeHead(answer.status, Object.fromEntries(told)).end(Buffer.from(await answer.arrayBuffer()));
        },
        () => response.writeHead(502).end(),
      );
    });
    return proxy;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

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
  await until(async () => expect((await agent.get('/readyz')).status).toBe(200));
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
  expect(refusal).toMatchObject({
    code: 'too_old',
    detail: expect.stringMatching(/SERVICE_MAX_AGE( of its last run)? allows 2 s/),
  });
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

  it('is not kept young by a proxy that repeats what the cloud said, after a restart neither', async () => {
    const proxy = await RepeatingProxy.start(await cloud.url());
    await agent.kill();
    env = { ...env, SERVICE_CLOUD_URL: proxy.url };
    try {
      agent = new AgentProcess({ env });
      await until(async () => expect((await agent.get('/readyz')).status).toBe(200));
      proxy.frozen = true;
      await refusesEverything();
      const before = proxy.repeated;
      await until(() => expect(proxy.repeated).toBeGreaterThan(before + 2));
      expect((await agent.get('/readyz')).status).toBe(503);
      await agent.kill();
      agent = new AgentProcess({ env });
      await refusesEverything();
      proxy.frozen = false;
      await until(async () => expect((await agent.get('/readyz')).status).toBe(200));
    } finally {
      await proxy.stop();
    }
  }, 60_000);

  it('says once why it decides nothing at a cloud that does not sign when its bundle was the newest', async () => {
    const proxy = await RepeatingProxy.start(await cloud.url());
    proxy.strips = true;
    await agent.kill();
    try {
      agent = new AgentProcess({ env: { ...env, SERVICE_CLOUD_URL: proxy.url } });
      await refusesEverything();
      const said = () =>
        agent.log.filter(({ msg }) => msg.startsWith('the cloud does not sign when its bundle')).length;
      await until(() => expect(said()).toBe(1));
      proxy.strips = false;
      await until(async () => expect((await agent.get('/readyz')).status).toBe(200));
      await agent.logged(({ msg }) => msg === 'the cloud signs when its bundle was the newest');
      expect(said()).toBe(1);
    } finally {
      await proxy.stop();
    }
  }, 60_000);

  it('starts from its cache though the note of its age cannot be read, and refuses by age alone', async () => {
    const note = join(home, 'cache', 'newest.jws');
    await until(() => expect(existsSync(note)).toBe(true));
    await agent.kill();
    await cloud.kill();
    rmSync(note);
    mkdirSync(join(note, 'in-the-way'), { recursive: true });
    agent = new AgentProcess({ env });
    await refusesEverything();
    const { SERVICE_MAX_AGE: _, ...unlimited } = env;
    await agent.kill();
    rmSync(join(home, 'cache', 'max-age'), { force: true });
    agent = new AgentProcess({ env: unlimited });
    await until(async () => expect((await agent.authorize(asking('alice'))).status).toBe(200));
  }, 60_000);

  it.each([
    ['without one', {}],
    ['with a longer one', { SERVICE_MAX_AGE: '1h' }],
  ])(
    'restarted %s while cut off, keeps to the one that the cloud counts by, until it is heard',
    async (_, longer) => {
      const { SERVICE_MAX_AGE: _former, ...others } = env;
      const file = join(home, 'cache', 'max-age');
      await until(() => expect(readFileSync(file, 'utf8')).toBe('2000\n'));
      const decides = async () => expect((await agent.authorize(asking('alice'))).status).toBe(200);
      await cloud.kill();
      await refusesEverything();
      await agent.kill();
      agent = new AgentProcess({ env: { ...others, ...longer } });
      await refusesEverything();

      cloud = new CloudProcess(join(home, 'cloud'));
      await agent.kill();
      agent = new AgentProcess({ env: { ...others, ...longer, SERVICE_CLOUD_URL: await cloud.url() } });
      await until(decides);
      await until(() => expect(readFileSync(file, 'utf8')).toBe('SERVICE_MAX_AGE' in longer ? '3600000\n' : 'none\n'));
      await cloud.kill();
      await agent.kill();
      agent = new AgentProcess({ env: { ...others, ...longer } });
      await until(decides);

      // Nobody knows any more what the cloud counts by.
      await agent.kill();
      writeFileSync(file, 'soon');
      agent = new AgentProcess({ env: { ...others, ...longer } });
      await until(async () => expect((await agent.get('/readyz')).status).toBe(503));
      expect((await agent.authorize(asking('alice'))).status).toBe(503);
    },
    60_000,
  );

  it('heeds the greatest age that a request allows', async () => {
    const { SERVICE_MAX_AGE: _, ...unlimited } = env;
    await agent.kill();
    agent = new AgentProcess({ env: unlimited });
    const asked = (value: string) => agent.authorize(asking('alice'), { 'service-max-age': value });
    await until(async () => expect((await asked('30')).status).toBe(200));
    expect((await asked('soon')).status).toBe(400);
    await cloud.kill();
    const answer = await until(async () => {
      const refused = await asked('1');
      if (refused.status !== 503) throw new Error('still decides');
      return await refused.json();
    });
    expect(answer).toMatchObject({ code: 'too_old', detail: expect.stringMatching(/Service-Max-Age allows 1 s/) });
    expect(await (await agent.get('/metrics')).text()).toMatch(/service_agent_too_old_total [1-9]/);
  }, 60_000);

  it('decides nothing while its cloud is frozen, and again once that answers', async () => {
    cloud.signal('SIGSTOP');
    await refusesEverything();
    cloud.signal('SIGCONT');
    await until(async () => expect((await agent.get('/readyz')).status).toBe(200));
    await until(async () => expect((await agent.authorize(asking('alice'))).status).toBe(200));
  }, 60_000);
});
