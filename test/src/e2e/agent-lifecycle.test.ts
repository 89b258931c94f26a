import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bundle } from '@authz-service/core/bundle/types';
import { encodeBundle } from '@authz-service/core/bundle/write';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, type AgentStart, agentEnv, until } from './agent/agent-process.js';
import { ScriptedCloud } from './agent/scripted-cloud.js';
import { asking, bundleOf, INVOICE_ID, POLICY_ID, tenant } from './agent/tenant-fixture.js';

let home: string;
let cloud: ScriptedCloud;
const running: AgentProcess[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-e2e-'));
  cloud = await ScriptedCloud.start();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((agent) => agent.kill()));
  await cloud.stop();
  rmSync(home, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}, more: Omit<AgentStart, 'env'> = {}): AgentProcess {
  const agent = new AgentProcess({
    ...more,
    env: agentEnv(home, cloud.url, { SERVICE_POLL_INTERVAL: '50ms', ...env }),
  });
  running.push(agent);
  return agent;
}

async function occupied(): Promise<{ other: Server; port: number }> {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  return { other, port: (other.address() as AddressInfo).port };
}

async function freePort(): Promise<number> {
  const { other, port } = await occupied();
  await new Promise((resolve) => other.close(resolve));
  return port;
}

const cachePath = () => join(home, '.service', 'bundles', 'bundle.json');

const writeCache = (bundle: Bundle) => cloud.signer.leaveIn(join(home, '.service', 'bundles'), bundle);

describe('the agent without a bundle', () => {
  it('is up but not ready, grants nothing, and says so every fifth time it fails', async () => {
    await cloud.refuse();
    const agent = start({ SERVICE_POLL_INTERVAL: '20ms' });
    const health = await agent.healthy(({ consecutive_failures }) => consecutive_failures >= 11);
    expect(health).toMatchObject({
      status: 'cold',
      bundle_revision: '',
      last_sync: '1970-01-01T00:00:00.000Z',
      degraded: false,
      sync_age_seconds: expect.any(Number),
    });
    expect((await agent.get('/readyz')).status).toBe(503);
    const answer = await agent.authorize(asking('alice'));
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: 'not_ready' });

    const errors = agent.log.filter(({ level }) => level === 'ERROR');
    expect(errors.slice(0, 2).map(({ consecutive_failures }) => consecutive_failures)).toEqual([5, 10]);
    expect(errors[0]?.msg).toMatch(/failing for 5 consecutive attempts, not ready/);
    expect(agent.log.filter(({ level }) => level === 'WARN')).toEqual([
      expect.objectContaining({ msg: 'bundle sync failed', error: expect.stringContaining('ECONNREFUSED') }),
    ]);

    await cloud.listen();
    await cloud.serve(bundleOf(tenant({})));
    await agent.healthy(({ status }) => status === 'ok');
    expect((await agent.get('/readyz')).status).toBe(200);
    expect((await agent.authorize(asking('alice'))).status).toBe(200);
    const metrics = await agent.metrics();
    expect(metrics.get('service_agent_bundle_cache_hit{source="sync"}')).toBe(1);
    expect(metrics.get('service_agent_bundle_cache_hit{source="cache"}')).toBe(0);
  });

  it('stays cold where a bundle holds several tenants and none is chosen', async () => {
    await cloud.serve(bundleOf(tenant({}), tenant({ id: 'tenant-2', name: 'other', readers: ['bob'] })));
    const agent = start();
    const line = await agent.logged(({ level }) => level === 'WARN');
    expect(line.error).toMatch(/several tenants: set SERVICE_TENANT_ID .* acme \(tenant-1\), other \(tenant-2\)/);
    expect((await agent.get('/readyz')).status).toBe(503);
  });

  it.each([['tenant-2'], ['other']])('serves the tenant chosen as %s', async (chosen) => {
    await cloud.serve(bundleOf(tenant({}), tenant({ id: 'tenant-2', name: 'other', readers: ['bob'] })));
    const agent = start({ SERVICE_TENANT_ID: chosen });
    await agent.healthy(({ status }) => status === 'ok');
    expect(await agent.allows('bob')).toBe(true);
    expect(await agent.allows('alice')).toBe(false);
  });
});

describe('the agent with a cached bundle', () => {
  it('is ready before it asks the cloud for anything', async () => {
    await writeCache(bundleOf(tenant({ revision: 3 })));
    const confirmed = new Date(Date.now() - 3_600_000);
    utimesSync(cachePath(), confirmed, confirmed);
    const agent = start();
    const first = await new Promise<{ ready: number; decision: unknown; etag: string | undefined }>((resolve) => {
      cloud.answer(async (request, response) => {
        cloud.answer((_, later) => later.writeHead(304).end());
        const ready = await agent.get('/readyz');
        const decision = await agent.authorize(asking('alice'));
        resolve({ ready: ready.status, decision: await decision.json(), etag: request.headers['if-none-match'] });
        response.writeHead(304).end();
      });
    });
    const { revision } = tenant({ revision: 3 });
    expect(first).toMatchObject({ ready: 200, decision: { decision: true }, etag: `"${revision}"` });
    const metrics = await agent.metrics();
    expect(metrics.get('service_agent_bundle_cache_hit{source="cache"}')).toBe(1);
    expect(metrics.get('service_agent_bundle_cache_hit{source="sync"}')).toBe(0);
    await agent.healthy(({ sync_age_seconds }) => sync_age_seconds < 60);
    await until(() => expect(Date.now() - statSync(cachePath()).mtimeMs).toBeLessThan(60_000));
  });

  it('knows how old the cache is while the cloud is away', async () => {
    await writeCache(bundleOf(tenant({ revision: 3 })));
    const confirmed = new Date(Date.now() - 3_600_000);
    utimesSync(cachePath(), confirmed, confirmed);
    await cloud.refuse();
    const agent = start();
    const health = await agent.healthy(({ consecutive_failures }) => consecutive_failures >= 5);
    expect(health).toMatchObject({ status: 'degraded', degraded: true });
    expect(health.sync_age_seconds).toBeGreaterThanOrEqual(3600);
    expect(Math.abs(Date.parse(health.last_sync) - confirmed.getTime())).toBeLessThan(60_000);
    const line = await agent.logged(({ level }) => level === 'ERROR');
    expect(line.msg).toMatch(
      /failing for 5 consecutive attempts, serving from cache, last successful sync 36\d\d s ago/,
    );
    const metrics = await agent.metrics();
    expect(metrics.get('service_agent_degraded')).toBe(1);
    const synced = metrics.get('service_agent_bundle_last_sync_timestamp_seconds') ?? 0;
    expect(Math.abs(synced * 1000 - confirmed.getTime())).toBeLessThan(60_000);
  });

  it('does not serve the cache of another tenant than the configured one', async () => {
    await writeCache(bundleOf(tenant({})));
    await cloud.refuse();
    const agent = start({ SERVICE_TENANT_ID: 'tenant-2' });
    const line = await agent.logged(({ msg }) => msg.startsWith('cached bundle ignored'));
    expect(line).toMatchObject({ level: 'WARN', error: expect.stringContaining('no tenant "tenant-2" but acme') });
    expect((await agent.get('/readyz')).status).toBe(503);
  });

  it('replaces the bundle by a newer one, on disk and in memory', async () => {
    await cloud.serve(bundleOf(tenant({ revision: 1 })));
    const agent = start();
    await agent.healthy(({ status }) => status === 'ok');
    expect(await agent.allows('bob')).toBe(false);
    const next = bundleOf(tenant({ revision: 2, readers: ['bob'] }));
    await cloud.serve(next);
    await agent.serves(next.revision);
    expect(await agent.allows('bob')).toBe(true);
    expect(await agent.allows('alice')).toBe(false);
    expect(readFileSync(cachePath()).equals(encodeBundle(next))).toBe(true);
    const known = cloud.requests.map(({ headers }) => headers['if-none-match']);
    await until(() => expect(known.length + 1).toBeLessThan(cloud.requests.length));
    expect(cloud.requests.at(-1)?.headers['if-none-match']).toBe(`"${next.revision}"`);
  });
});

describe('the log of decisions', () => {
  it('has a line of standard output for every call, whatever the log level, and nothing else', async () => {
    await cloud.serve(bundleOf(tenant({})));
    const agent = start({
      SERVICE_DECISION_LOG: 'true',
      SERVICE_LOG_LEVEL: 'fatal',
      SERVICE_LISTEN_ADDR: `127.0.0.1:${await freePort()}`,
    });
    await agent.healthy(({ status }) => status === 'ok');
    await agent.authorize(asking('alice'));
    await agent.authorize(asking('eve', 'read', { resource: { type: 'invoice', id: 'INV-9' } }));
    await agent.authorize('{}');
    await until(() => expect(agent.stdout).toHaveLength(3));
    const lines = agent.stdout.map((line) => JSON.parse(line));
    const fields = [
      'time',
      'level',
      'msg',
      'subject_id',
      'resource_id',
      'action',
      'decision',
      'reason',
      'access_path',
      'policy_id',
      'ms',
      'id',
    ];
    for (const line of lines) {
      expect(Object.keys(line)).toEqual(fields);
      expect(line).toMatchObject({ level: 'INFO', msg: 'decision', ms: expect.any(Number) });
      expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    expect(agent.log).toEqual([]);
    expect(lines[0]).toMatchObject({
      subject_id: 'alice',
      resource_id: INVOICE_ID,
      action: 'read',
      decision: true,
      access_path: 'direct',
      policy_id: POLICY_ID,
    });
    expect(lines[1]).toMatchObject({
      subject_id: 'eve',
      resource_id: 'INV-9',
      decision: false,
      access_path: 'none',
      policy_id: '',
    });
    expect(lines[2]).toMatchObject({
      subject_id: '',
      resource_id: '',
      action: '',
      decision: false,
      access_path: 'none',
    });
  });

  it('that nobody reads costs no answer, and no stop', async () => {
    await cloud.serve(bundleOf(tenant({})));
    const agent = start({ SERVICE_DECISION_LOG: 'true' }, { readStdout: false });
    await agent.healthy(({ status }) => status === 'ok');
    // Long lines, so that pipe and buffer are full soon.
    const body = asking('x'.repeat(900_000));
    for (let call = 0; call < 15; call++) {
      expect(await (await agent.authorize(body)).json()).toMatchObject({ decision: false });
    }
    const line = await agent.logged(({ level }) => level === 'ERROR');
    expect(line.msg).toMatch(/decision log lines are being dropped/);
    agent.signal('SIGTERM');
    expect(await agent.exited).toEqual({ code: 0, signal: null });
  });

  it('whose reader has gone costs no answer', async () => {
    await cloud.serve(bundleOf(tenant({})));
    const agent = start({ SERVICE_DECISION_LOG: 'true' });
    await agent.healthy(({ status }) => status === 'ok');
    agent.closeStdout();
    await until(async () => {
      expect((await agent.authorize(asking('alice'))).status).toBe(200);
      expect(agent.log.at(-1)?.msg).toMatch(/decision log lines are being dropped/);
    });
    expect((await agent.authorize(asking('alice'))).status).toBe(200);
  });

  it('is off by default', async () => {
    await cloud.serve(bundleOf(tenant({})));
    const agent = start();
    await agent.healthy(({ status }) => status === 'ok');
    await agent.authorize(asking('alice'));
    agent.signal('SIGTERM');
    await agent.exited;
    expect(agent.stdout).toEqual([]);
  });
});

describe('a request that fails', () => {
  it('answers 500 where the evaluation fails, logs it, and goes on', async () => {
    await cloud.serve(bundleOf(tenant({})));
    const agent = start();
    await agent.healthy(({ status }) => status === 'ok');
    const answer = await agent.authorize(asking('alice', 'write', { context: { limit: 'high' } }), {
      'x-request-id': 'req-7',
    });
    expect(answer.status).toBe(500);
    expect(answer.headers.get('x-request-id')).toBe('req-7');
    expect(await answer.json()).toMatchObject({ code: 'evaluation_failed', request_id: 'req-7' });
    const line = await agent.logged(({ request_id }) => request_id === 'req-7');
    expect(line).toMatchObject({ level: 'ERROR', msg: expect.stringContaining('evaluation failed') });
    expect((await agent.authorize(asking('alice'))).status).toBe(200);
    const metrics = await agent.metrics();
    expect(metrics.get('service_agent_decisions_total{allowed="false",access_path="none"}')).toBe(1);
    expect(metrics.get('service_agent_decisions_total{allowed="true",access_path="direct"}')).toBe(1);
    expect(metrics.get('service_agent_decision_duration_seconds_count{allowed="false"}')).toBe(1);
  });
});

describe('starting and stopping', () => {
  it('ends with a fatal line when there is no API key', async () => {
    const agent = start({ SERVICE_API_KEY: '' });
    expect(await agent.exited).toEqual({ code: 1, signal: null });
    expect(agent.log).toEqual([
      expect.objectContaining({
        level: 'FATAL',
        msg: expect.stringMatching(/^failed to load config: API key is required/),
        time: expect.stringMatching(/Z$/),
      }),
    ]);
    expect(agent.stdout).toEqual([]);
  });

  it('names every fault of its configuration at once', async () => {
    writeFileSync(join(home, 'bad.yaml'), 'poll_intervall: 5s\nlog_level: loud\n');
    const agent = start(
      { SERVICE_LISTEN_ADDR: 'nowhere', SERVICE_LOG_LEVEL: '' },
      { args: ['--config', join(home, 'bad.yaml')] },
    );
    expect(await agent.exited).toEqual({ code: 1, signal: null });
    expect(agent.log[0]?.msg).toMatch(
      /bad\.yaml:1:1: .*"poll_interval"\?.*bad\.yaml:2:12: .*"loud".*|SERVICE_LISTEN_ADDR/,
    );
    expect(agent.log[0]?.faults).toHaveLength(3);
  });

  it('reads its configuration from the working directory', async () => {
    await cloud.serve(bundleOf(tenant({})));
    writeFileSync(
      join(home, 'service-agent.yaml'),
      `api_key: svc_test\ncloud_url: ${cloud.url}\nlisten_addr: 127.0.0.1:0\npoll_interval: 50ms\ncache_dir: cache\n`,
    );
    const agent = new AgentProcess({ env: { HOME: home }, cwd: home });
    running.push(agent);
    await agent.healthy(({ status }) => status === 'ok');
    expect(statSync(join(home, 'cache', 'bundle.json')).isFile()).toBe(true);
  });

  it('answers what is under way when it is told to stop, and ends with 0', async () => {
    await cloud.serve(bundleOf(tenant({})));
    const agent = start();
    await agent.healthy(({ status }) => status === 'ok');
    const { hostname, port } = new URL(await agent.url());
    const socket = connect(Number(port), hostname);
    const body = asking('alice');
    socket.write(
      `POST /v1/authorize HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
    );
    // A second request after the first shows that the server has read the first.
    await agent.get('/healthz');
    agent.signal('SIGTERM');
    await agent.logged(({ msg }) => msg === 'agent is stopping');
    socket.write(body.slice(9));
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
    socket.end();
    expect(await agent.exited).toEqual({ code: 0, signal: null });
    expect(agent.noise).toEqual([]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with 0 on %s while the cloud hangs', async (signal) => {
    cloud.answer(() => {});
    const agent = start();
    await until(() => expect(cloud.requests).not.toEqual([]));
    await agent.url();
    agent.signal(signal);
    expect(await agent.exited).toEqual({ code: 0, signal: null });
  });

  it('says that its port is taken', async () => {
    const { other, port } = await occupied();
    const agent = start({ SERVICE_LISTEN_ADDR: `127.0.0.1:${port}` });
    expect(await agent.exited).toEqual({ code: 1, signal: null });
    expect(agent.log.at(-1)).toMatchObject({
      level: 'FATAL',
      msg: expect.stringContaining(`127.0.0.1:${port} is in use`),
    });
    expect(agent.log.at(-1)).not.toHaveProperty('err');
    other.close();
  });

  it.each(['[fe80::1]:0', 'no.such.host.invalid:0'])('says that it cannot listen on %s', async (address) => {
    const agent = start({ SERVICE_LISTEN_ADDR: address });
    expect(await agent.exited).toEqual({ code: 1, signal: null });
    const [said, remedy] = String(agent.log.at(-1)?.msg).split(/ \(E\w+\): /);
    expect([said, remedy]).toEqual([`failed to start: cannot listen on ${address}`, 'set SERVICE_LISTEN_ADDR']);
    expect(agent.log.at(-1)).not.toHaveProperty('err');
  });

  it.each([
    [['--help'], 0, /SERVICE_POLL_INTERVAL/],
    [['--version'], 0, /^\d+\.\d+\.\d+( \([0-9a-f]{12}\))?$/],
    [['--verbose'], 1, /--verbose/],
    [['extra'], 1, /extra/],
    [['--config'], 1, /--config/],
  ])('takes %j and ends with %i', async (args, code, text) => {
    const agent = start({}, { args });
    expect(await agent.exited).toEqual({ code, signal: null });
    expect([...agent.stdout, ...agent.noise].join('\n')).toMatch(text);
    expect(code === 0 ? agent.noise : agent.stdout).toEqual([]);
  });
});
