import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundlePath, deltaPath, pointerText } from '@authz-service/core/bundle/publication';
import type { BundleTenant } from '@authz-service/core/bundle/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { deltaBetween } from './agent/tenant-delta.js';
import { asking, bundleOf, tenant } from './agent/tenant-fixture.js';
import { TestSigner } from './agent/test-signer.js';
import { WebServer } from './agent/web-server.js';

const first = tenant({ revision: 5 });
const second = tenant({ revision: 6, readers: ['eve'] });
const third = tenant({ revision: 7, readers: ['bob'] });
const older = tenant({ revision: 4, readers: ['mallory'] });
const foreign = tenant({ id: 'tenant-2', name: 'evil', revision: 6, readers: ['mallory'] });

let home: string;
let web: WebServer;
let signer: TestSigner;
let stranger: TestSigner;
let files: Map<string, Buffer>;
const running: AgentProcess[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-static-'));
  [signer, stranger] = [await TestSigner.make(), await TestSigner.make()];
  files = new Map();
  web = await WebServer.start((path) => files.get(path));
  writeFileSync(join(home, 'pinned.json'), signer.jwks);
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((agent) => agent.kill()));
  await web.stop();
  rmSync(home, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}): AgentProcess {
  const { SERVICE_API_KEY: _, SERVICE_CLOUD_URL: __, ...rest } = agentEnv(home, '');
  const own = {
    SERVICE_BUNDLE_URL: web.url,
    SERVICE_TENANT_ID: first.id,
    SERVICE_BUNDLE_JWKS: join(home, 'pinned.json'),
    SERVICE_POLL_INTERVAL: '50ms',
  };
  const agent = new AgentProcess({ env: { ...rest, ...own, ...env } });
  running.push(agent);
  return agent;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into the report.
const status = async (agent: AgentProcess): Promise<any> => (await agent.get('/v1/status')).json();
const put = (path: string, content: Buffer | string) => void files.set(path, Buffer.from(content));
const whole = async (of: BundleTenant, by = signer) =>
  put(bundlePath(by.kid, of.revision), await by.pack(bundleOf(of)));
const changes = async (from: BundleTenant, to: BundleTenant) =>
  put(deltaPath(signer.kid, from.revision), await deltaBetween(signer, from, to));
const point = async (to: BundleTenant, { bundle = to.revision, at = new Date(), by = signer } = {}) => {
  put('keys.json', signer.jwks);
  put('newest.json', pointerText({ newest: await by.signNewest({ tenant: to.id, bundle: to.revision }, at), bundle }));
};
const serving = async (env: Record<string, string> = {}) => {
  await whole(first);
  await point(first);
  const agent = start(env);
  await agent.serves(first.revision);
  return agent;
};

describe('an agent that reads published files', () => {
  it('takes the whole bundle, then changes, asks conditionally, and says where from', async () => {
    const agent = await serving({ SERVICE_BUNDLE_HEADER: 'X-Token: of the server' });
    expect([await agent.allows('alice'), await agent.allows('eve')]).toEqual([true, false]);
    await until(() => expect(web.count('/newest.json', 304)).toBeGreaterThan(2));
    await changes(first, second);
    await changes(second, third);
    await point(third, { bundle: first.revision });
    await agent.serves(third.revision);
    expect([await agent.allows('alice'), await agent.allows('bob')]).toEqual([false, true]);
    expect(web.count(`/${signer.kid}/bundle-`, 200)).toBe(1);
    expect(await status(agent)).toMatchObject({
      source: { kind: 'static', url: `${web.url}/` },
      activated_by: 'delta',
      long_poll: false,
      keys: { pinned: true, signed_by: signer.kid },
    });
    expect((await agent.metrics()).get('service_agent_bundle_source_info{kind="static"}')).toBe(1);
    expect(new Set(web.requests.map(({ request }) => request.headers['x-token']))).toEqual(new Set(['of the server']));
    expect(web.requests.some(({ request }) => request.headers.authorization !== undefined)).toBe(false);

    await agent.kill();
    const { requests } = web;
    requests.length = 0;
    const again = start();
    await again.serves(third.revision);
    expect(web.count(`/${signer.kid}/`, 200)).toBe(0);
  }, 60_000);

  it('that starts follows the changes after an older whole bundle', async () => {
    await whole(first);
    await changes(first, second);
    await point(second, { bundle: first.revision });
    const agent = start();
    await agent.serves(second.revision);
    expect([await agent.allows('alice'), await agent.allows('eve')]).toEqual([false, true]);
  }, 60_000);

  it('takes the whole bundle where the changes from its revision are gone or damaged', async () => {
    const agent = await serving();
    await whole(second);
    await point(second);
    await agent.serves(second.revision);
    put(deltaPath(signer.kid, second.revision), 'not an archive');
    await whole(third);
    await point(third);
    await agent.serves(third.revision);
    expect(await agent.allows('bob')).toBe(true);
  }, 60_000);

  it('waits for the next whole bundle where no way leads from what it serves', async () => {
    const agent = await serving();
    await whole(older);
    await point(third, { bundle: older.revision });
    await agent.healthy(({ consecutive_failures }) => consecutive_failures > 1);
    expect((await status(agent)).last_error.detail).toMatch(/no changes that lead from revision 5\..* to 7\./);
    expect(await agent.allows('mallory')).toBe(false);
    await whole(third);
    await point(third);
    await agent.serves(third.revision);
  }, 60_000);

  const redirect = (target: string) => () => {
    web.before = (_, response) => {
      response.writeHead(302, { location: target }).end();
      return true;
    };
  };
  const answering = (code: number) => () => {
    web.before = (_, response) => {
      response.writeHead(code).end('{}');
      return true;
    };
  };

  it.each<[string, () => unknown, RegExp]>([
    ['any text as the pointer', () => put('newest.json', '<html>'), /newest\.json is not what/],
    [
      'a path in the pointer',
      async () => {
        const newest = await signer.signNewest({ tenant: first.id, bundle: second.revision }, new Date());
        put('newest.json', JSON.stringify({ format: 1, newest, bundle: '../../secret' }));
      },
      /newest\.json is not what/,
    ],
    ['a pointer of a huge size', () => put('newest.json', Buffer.alloc(1e6, 32)), /more than 65536 bytes/],
    ['a pointer by a stranger', () => point(second, { by: stranger }), /not signed by a trusted key/],
    ['the pointer of another tenant', () => point(foreign), /is of tenant tenant-2, and SERVICE_TENANT_ID is tenant-1/],
    [
      'a pointer to several tenants',
      async () => {
        const newest = await signer.signNewest({ tenant: undefined, bundle: second.revision }, new Date());
        put('newest.json', pointerText({ newest, bundle: second.revision }));
      },
      /is of tenant unknown/,
    ],
    [
      'a later pointer that goes back',
      async () => {
        await whole(older);
        await point(older, { at: new Date(Date.now() + 1000) });
      },
      /is older than/,
    ],
    [
      'a truncated bundle',
      async () => {
        await whole(second);
        const path = bundlePath(signer.kid, second.revision);
        put(path, files.get(path)?.subarray(0, 200) ?? '');
        await point(second);
      },
      /archive|incomplete|gzip/i,
    ],
    [
      'any bytes as the bundle',
      async () => {
        put(bundlePath(signer.kid, second.revision), Buffer.alloc(5000, 7));
        await point(second);
      },
      /archive|gzip/i,
    ],
    [
      'the bundle of a stranger',
      async () => {
        put(bundlePath(signer.kid, second.revision), await stranger.pack(bundleOf(second)));
        await point(second);
      },
      /not trusted/,
    ],
    [
      "another tenant's bundle in its place",
      async () => {
        put(bundlePath(signer.kid, second.revision), await signer.pack(bundleOf(foreign)));
        await point(second);
      },
      /no tenant "tenant-1"/,
    ],
    [
      'another revision in its place',
      async () => {
        put(bundlePath(signer.kid, second.revision), await signer.pack(bundleOf(older)));
        await point(second);
      },
      /is older than/,
    ],
    ['a missing bundle', () => point(second), /status 404 when asked for bundle-/],
    [
      'a missing pointer',
      () => files.delete('newest.json'),
      /status 404 when asked for newest\.json.*SERVICE_BUNDLE_URL/,
    ],
    ['a server that fails', answering(500), /status 500/],
    ['a server that wants a credential', answering(401), /status 401.*SERVICE_BUNDLE_HEADER/],
    ['a redirect', redirect('http://127.0.0.1:9/elsewhere'), /status 302.* to http:\/\/127\.0\.0\.1:9, and redirects/],
  ])(
    'refuses %s, says so, and serves on',
    async (_, harm, cause) => {
      const agent = await serving();
      await harm();
      await agent.healthy(({ consecutive_failures }) => consecutive_failures > 1);
      expect((await status(agent)).last_error.detail).toMatch(cause);
      expect(await agent.health()).toMatchObject({ status: 'degraded', bundle_revision: first.revision });
      expect([await agent.allows('alice'), await agent.allows('mallory')]).toEqual([true, false]);
      expect(web.requests.some(({ request }) => /\.\.|secret/.test(request.url ?? ''))).toBe(false);
      web.before = () => false;
      files.delete(deltaPath(signer.kid, first.revision));
      await whole(third);
      await point(third, { at: new Date(Date.now() + 2000) });
      await agent.serves(third.revision);
    },
    60_000,
  );

  it('never goes back by an old copy of the pointer, which makes nothing younger', async () => {
    await whole(older);
    await point(older, { at: new Date(Date.now() - 60_000) });
    const copy = files.get('newest.json') ?? Buffer.alloc(0);
    const agent = await serving();
    put('newest.json', copy);
    await until(() => expect(web.count('/newest.json', 304)).toBeGreaterThan(2));
    const { last_success: confirmed } = await status(agent);
    const before = web.count('/newest.json', 304);
    await until(() => expect(web.count('/newest.json', 304)).toBeGreaterThan(before + 2));
    expect(await agent.health()).toMatchObject({ status: 'ok', bundle_revision: first.revision, last_sync: confirmed });
    expect(await agent.allows('mallory')).toBe(false);
  }, 60_000);

  it('refuses by age what a frozen pointer says, after a restart neither, and decides again once it is renewed', async () => {
    const agent = await serving({ SERVICE_MAX_AGE: '2s' });
    const code = async (of: AgentProcess) => (await of.authorize(asking('alice'))).status;
    // It also refuses for the moment between its bundle and the first age, which is told as one of decades.
    await until(async () => {
      const { sync_age_seconds: age } = await agent.health();
      expect(age).toBeGreaterThan(2);
      expect(age).toBeLessThan(1000);
    });
    await until(async () => expect(await code(agent)).toBe(503));
    expect(await agent.health()).toMatchObject({ status: 'ok' });
    await agent.kill();
    const again = start({ SERVICE_MAX_AGE: '2s' });
    await again.healthy(({ bundle_revision }) => bundle_revision === first.revision);
    expect(await code(again)).toBe(503);
    const answers = web.requests.length;
    await until(() => expect(web.requests.length).toBeGreaterThan(answers + 3));
    expect(await code(again)).toBe(503);
    await point(first);
    await until(async () => expect(await code(again)).toBe(200));
  }, 60_000);

  it('refuses by age what was old when it came first', async () => {
    await whole(first);
    await point(first, { at: new Date(Date.now() - 3_600_000) });
    const agent = start({ SERVICE_MAX_AGE: '60s' });
    await agent.serves(first.revision);
    expect((await agent.authorize(asking('alice'))).status).toBe(503);
    await until(async () => expect((await status(agent)).age_seconds).toBeGreaterThan(3500));
    expect((await agent.authorize(asking('alice'))).status).toBe(503);
  }, 60_000);

  it('follows keys that are announced beside the pointer, and no others', async () => {
    const agent = await serving();
    await signer.rotate();
    await whole(second);
    await point(second);
    await agent.serves(second.revision);
    expect((await status(agent)).keys).toMatchObject({ signed_by: signer.kid });
    await signer.rotate({ announced: false });
    await whole(third);
    await point(third);
    await agent.healthy(({ consecutive_failures }) => consecutive_failures > 1);
    expect((await status(agent)).last_error.detail).toMatch(/not signed by a trusted key/);
    expect(await agent.health()).toMatchObject({ bundle_revision: second.revision });
  }, 60_000);

  it('decides from its cache while the server is away', async () => {
    const agent = await serving();
    await agent.kill();
    const again = start({ SERVICE_BUNDLE_URL: 'http://127.0.0.1:9' });
    expect(await again.health()).toMatchObject({ bundle_revision: first.revision });
    expect(await again.allows('alice')).toBe(true);
    await again.healthy(({ degraded }) => degraded);
    expect((await status(again)).last_error.detail).toMatch(/^The web server at .*check SERVICE_BUNDLE_URL/);
  }, 60_000);

  it('does not start without keys and tenant, nor with a cloud beside', async () => {
    const { exited, log } = start({
      SERVICE_BUNDLE_JWKS: '',
      SERVICE_TENANT_ID: '',
      SERVICE_CLOUD_URL: 'http://cloud',
    });
    expect((await exited).code).toBe(1);
    const [line] = log;
    expect(line?.msg).toMatch(/SERVICE_BUNDLE_JWKS.*SERVICE_TENANT_ID/);
    expect(line?.msg).toMatch(/remove it or SERVICE_CLOUD_URL/);
  }, 60_000);
});
