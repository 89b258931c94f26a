import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { LogCollector } from './agent/log-collector.js';
import { ScriptedCloud } from './agent/scripted-cloud.js';
import { asking, bundleOf, tenant } from './agent/tenant-fixture.js';
import { ADMINISTRATOR, bootstrapEnv, CloudProcess } from './cloud/cloud-process.js';

const AGENT = fileURLToPath(new URL('../../../agent', import.meta.url));
const [TRACE, PARENT] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
const SERVER = 2;
const CLIENT = 3;

let folder: string;
let collector: LogCollector;
let source: ScriptedCloud;
const agents: AgentProcess[] = [];
const clouds: CloudProcess[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tracing-'));
  collector = await LogCollector.start();
  source = await ScriptedCloud.start();
  await source.serve(bundleOf(tenant({})));
});
afterEach(async () => {
  await Promise.all([...agents.splice(0), ...clouds.splice(0)].map((one) => one.kill()));
  await Promise.all([collector.stop(), source.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const traced = () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.address, OTEL_BSP_SCHEDULE_DELAY: '50' });

async function startAgent(env: Record<string, string>, program?: string): Promise<AgentProcess> {
  const more = { SERVICE_DECISION_LOG: 'true', ...env };
  const agent = new AgentProcess({ env: agentEnv(folder, source.url, more), ...(program && { program }) });
  agents.push(agent);
  await agent.healthy(({ status }) => status === 'ok');
  return agent;
}

const context = (flags: string) => ({ traceparent: `00-${TRACE}-${PARENT}-${flags}`, 'x-request-id': 'req-7' });

describe('a request to an agent', () => {
  it('is a span of the caller’s trace, which its line of the decision log names', async () => {
    const agent = await startAgent({ ...traced(), OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' });
    await agent.authorize(asking('alice'), context('01'));
    await until(() => expect(collector.spans.some(({ traceId }) => traceId === TRACE)).toBe(true));
    const span = collector.spans.find(({ traceId }) => traceId === TRACE);
    expect(span).toMatchObject({
      service: 'service-agent',
      name: 'POST /v1/authorize',
      kind: SERVER,
      parentSpanId: PARENT,
    });
    expect(span?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/authorize',
      'http.response.status_code': expect.anything(),
      'authz.request_id': 'req-7',
    });
    await until(() => expect(agent.stdout).toHaveLength(1));
    expect(JSON.parse(agent.stdout[0] ?? '')).toMatchObject({
      request_id: 'req-7',
      trace_id: TRACE,
      span_id: span?.spanId,
    });
  });

  it('is none where the caller does not sample, and the line still names the request', async () => {
    const agent = await startAgent(traced());
    await agent.authorize(asking('alice'), context('00'));
    await agent.authorize(asking('alice'));
    await until(() => expect(collector.spans.some(({ name }) => name === 'POST /v1/authorize')).toBe(true));
    expect(collector.spans.map(({ traceId }) => traceId)).not.toContain(TRACE);
    const line = JSON.parse(agent.stdout[0] ?? '');
    expect([line.request_id, line.trace_id]).toEqual(['req-7', undefined]);
  });

  it('is sampled as the environment says, and a sampler that does not exist is refused', async () => {
    const never = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
    const agent = await startAgent({ ...traced(), ...never });
    await agent.authorize(asking('alice'));
    await agent.authorize(asking('alice'), context('01'));
    await until(() => expect(collector.spans).toHaveLength(1));
    expect(collector.spans[0]?.traceId).toBe(TRACE);
    const wrong = new AgentProcess({
      env: agentEnv(folder, source.url, { ...traced(), OTEL_TRACES_SAMPLER: 'sometimes' }),
    });
    agents.push(wrong);
    expect((await wrong.exited).code).toBe(1);
    expect(JSON.stringify(wrong.log)).toContain('OTEL_TRACES_SAMPLER is \\"sometimes\\": write one of always_on');
  });

  it('is answered while nobody takes spans, and the log says so', async () => {
    await collector.stop();
    const agent = await startAgent({ ...traced(), OTEL_EXPORTER_OTLP_TIMEOUT: '200' });
    expect((await agent.authorize(asking('alice'))).status).toBe(200);
    const line = await agent.logged(({ msg }) => msg.startsWith('spans are lost'));
    expect(line.level).toBe('WARN');
    agent.signal('SIGTERM');
    expect(await agent.exited).toEqual({ code: 0, signal: null });
  });
});

it('loads nothing of OpenTelemetry unless the environment names a receiver', async () => {
  const copy = join(folder, 'agent');
  cpSync(AGENT, copy, {
    recursive: true,
    filter: (path) => !/node_modules|src|\/otlp-[^/]*\.js$/.test(path.slice(AGENT.length)),
  });
  const program = join(copy, 'bin/service-agent.js');
  const agent = await startAgent({}, program);
  expect((await agent.authorize(asking('alice'))).status).toBe(200);
  const lacking = new AgentProcess({ program, env: agentEnv(folder, source.url, traced()) });
  agents.push(lacking);
  expect((await lacking.exited).code).toBe(1);
  expect(JSON.stringify(lacking.log)).toContain('otlp-tracing.js');
});

describe('a request to the cloud', () => {
  it('is a span with those of its database below, and its line and audit entry name the same request', async () => {
    const env = { ...bootstrapEnv(), ...traced() };
    const cloud = new CloudProcess(join(folder, 'cloud'), env);
    clouds.push(cloud);
    const { url, client } = { url: await cloud.url(), client: await cloud.client() };
    const group = { op: 'create', kind: 'group', fields: { name: 'g' } } as const;
    await client.changeset({ changes: [group] });
    const { access_token } = (await (
      await fetch(`${url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: ADMINISTRATOR.clientId,
          client_secret: ADMINISTRATOR.clientSecret,
        }),
      })
    ).json()) as { access_token: string };
    const answer = await fetch(`${url}/v1/changesets`, {
      method: 'POST',
      headers: { ...context('01'), authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ changes: [{ ...group, fields: { name: 'h' } }] }),
    });
    expect(answer.status).toBe(200);
    const own = () => collector.spans.filter(({ traceId }) => traceId === TRACE);
    await until(() => expect(own().map(({ name }) => name)).toContain('POST /v1/changesets'));
    const server = own().find(({ kind }) => kind === SERVER);
    expect(server).toMatchObject({
      service: 'service-cloud',
      parentSpanId: PARENT,
      attributes: { 'authz.request_id': 'req-7' },
    });
    const commit = own().find(({ name }) => name === 'commit');
    expect(commit).toMatchObject({ kind: CLIENT, parentSpanId: server?.spanId });
    expect(commit?.attributes).toEqual({ 'db.system.name': 'sqlite', 'db.operation.name': 'commit' });
    const lines = cloud.stderr.map((line) => JSON.parse(line));
    expect(lines.find(({ request_id }) => request_id === 'req-7')).toMatchObject({
      trace_id: TRACE,
      span_id: server?.spanId,
    });
    const { items } = (await (
      await fetch(`${url}/v1/audit?limit=1`, { headers: { authorization: `Bearer ${access_token}` } })
    ).json()) as { items: { request_id: string }[] };
    expect(items[0]?.request_id).toBe('req-7');
    expect(JSON.stringify(collector.spans)).not.toContain(ADMINISTRATOR.clientSecret);
  });
});
