import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { LogCollector } from './agent/log-collector.js';
import { ScriptedCloud } from './agent/scripted-cloud.js';
import { asking, bundleOf, tenant } from './agent/tenant-fixture.js';

const CLI = fileURLToPath(new URL('../../../cli/bin/service.js', import.meta.url));

let home: string;
let cloud: ScriptedCloud;
let collector: LogCollector;
const running: AgentProcess[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-log-'));
  cloud = await ScriptedCloud.start();
  await cloud.serve(bundleOf(tenant({})));
  collector = await LogCollector.start();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((agent) => agent.kill()));
  await Promise.all([cloud.stop(), collector.stop()]);
  rmSync(home, { recursive: true, force: true });
});

async function start(sinks: string, env: Record<string, string> = {}): Promise<AgentProcess> {
  const more = { SERVICE_DECISION_LOG: 'true', SERVICE_DECISION_LOG_SINKS: sinks, ...env };
  const agent = new AgentProcess({ env: agentEnv(home, cloud.url, more) });
  running.push(agent);
  await agent.healthy(({ status }) => status === 'ok');
  return agent;
}

/** Asks about so many subjects with names of their own, whose decisions are all answered. */
async function ask(agent: AgentProcess, names: string[]): Promise<void> {
  for (const name of names) expect((await agent.authorize(asking(name))).status).toBe(200);
}

const named = (prefix: string, count: number, length = 0) =>
  Array.from({ length: count }, (_, number) => `${prefix}-${number}`.padEnd(length, 'x'));

const subjects = (lines = collector.parsed) =>
  lines.filter(({ msg }) => msg === 'decision').map(({ subject_id }) => subject_id);

/** The report of `servicectl logs verify` on a log. */
function verified(text: string, ...flags: string[]) {
  const file = join(home, 'log.jsonl');
  writeFileSync(file, text);
  const { status, stdout } = spawnSync(process.execPath, [CLI, 'logs', 'verify', file, '--json', ...flags], {
    encoding: 'utf8',
  });
  return { status, report: JSON.parse(stdout) };
}

describe('the decision log of an agent whose collector goes away', () => {
  it.each([
    ['by OTLP', ''],
    ['as JSON lines', '/in'],
  ])('comes as a whole %s, though the agent is killed meanwhile', async (_, path) => {
    const sink = path === '' ? `otlp+${collector.address}` : `${collector.address}${path}`;
    const first = await start(sink);
    await ask(first, named('early', 20));
    await until(() => expect(subjects()).toHaveLength(20));
    await collector.stop();
    await ask(first, named('waiting', 30));
    await first.kill();
    const second = await start(sink);
    await ask(second, named('late', 5));
    await collector.listen();
    const all = [...named('early', 20), ...named('waiting', 30), ...named('late', 5)];
    await until(() => expect(new Set(subjects())).toEqual(new Set(all)));
    const { status, report } = verified(collector.text);
    expect({ status, ...report }).toMatchObject({
      status: 0,
      missing: [],
      gaps: [],
      processes: [{ last: 50 }, { last: 5 }],
    });
    expect(collector.parsed.find(({ after }) => after !== undefined)?.after).toBe(`${report.processes[0].process}.50`);
    if (path === '') {
      expect(JSON.stringify(collector.resources[0])).toContain('service-agent');
      expect(JSON.stringify(collector.resources[0])).toContain(report.processes[0].process);
    }
  });

  it('says exactly what it lost beyond its queue, also what a killed agent lost', async () => {
    await collector.stop();
    const sink = `${collector.address}/in#queue=1MiB`;
    const first = await start(sink);
    await ask(first, named('first', 15, 100_000));
    await first.kill();
    const second = await start(sink);
    await ask(second, named('second', 3, 100_000));
    const metrics = await second.metrics();
    const label = `sink="http ${new URL(collector.address).host}"`;
    expect(metrics.get(`service_agent_decision_log_lost_total{${label}}`)).toBe(3);
    expect(metrics.get(`service_agent_decision_log_queued_bytes{${label}}`)).toBeGreaterThan(900_000);
    await collector.listen();
    await until(() => expect(collector.parsed.filter(({ msg }) => msg === 'gap')).toHaveLength(2));
    await ask(second, ['after']);
    await until(() => expect(subjects()).toContain('after'));
    const kept = new Set(subjects()).size;
    const { status, report } = verified(collector.text, '--exit-code');
    expect(report).toMatchObject({ missing: [], disordered: { count: 0 } });
    expect(report.gaps.map(({ lost }: { lost: number }) => lost)).toEqual([16 - kept, 3]);
    expect(status).toBe(2);
  });

  it('holds decisions back where the sink blocks, until there is room, or refuses them', async () => {
    await collector.stop();
    const agent = await start(`${collector.address}/in#queue=1MiB&when_full=block`);
    const queued = async () =>
      (await agent.metrics()).get(
        `service_agent_decision_log_queued_bytes{sink="http ${new URL(collector.address).host}"}`,
      );
    for (const name of named('early', 20, 100_000)) {
      if (((await queued()) ?? 0) >= 2 ** 20) break;
      await ask(agent, [name]);
    }
    const refused = await agent.authorize(asking('refused'));
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: 'not_ready', detail: expect.stringContaining('decision log') });
    const held = agent.authorize(asking('held'));
    await collector.listen();
    expect((await held).status).toBe(200);
    await until(() => expect(subjects()).toContain('held'));
    expect(subjects()).not.toContain('refused');
    expect(verified(collector.text)).toMatchObject({ status: 0, report: { gaps: [], missing: [] } });
  });
});

it('masks what the schemas call sensitive, follows them, and leaves out what it cannot judge', async () => {
  const schemas = { invoice: ['iban', 'with.dot'], user: ['email'], context: ['ip'] };
  await cloud.serve(bundleOf(tenant({ sensitive: schemas })));
  const file = join(home, 'decisions.jsonl');
  const agent = await start(`file://${file}`, { SERVICE_DECISION_LOG_INPUTS: 'true', SERVICE_POLL_INTERVAL: '50ms' });
  const body = (type: string) =>
    asking('alice', 'read', {
      subject: { type: 'user', id: 'alice', properties: { email: 'hunter2-email', team: 'red' } },
      resource: { type, id: 'INV-1', properties: { iban: 'hunter2-iban', 'with.dot': 'hunter2-dot', amount: 7 } },
      context: { ip: 'hunter2-ip', mfa: true, list: [{ ip: 'kept' }] },
    });
  const logged = () => readFileSync(file, 'utf8').trimEnd().split('\n');
  for (const type of ['invoice', 'unheard']) expect((await agent.authorize(body(type))).status).toBe(200);
  const batch = { evaluations: [JSON.parse(body('billing/invoice'))] };
  const answer = await fetch(`${await agent.url()}/access/v1/evaluations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(batch),
  });
  expect(answer.status).toBe(200);
  expect(logged()).toHaveLength(3);
  expect(logged().join()).not.toContain('hunter2');
  const masked = logged().map((line) => JSON.parse(line).inputs.masked);
  expect(masked).toEqual(
    Array.from({ length: 3 }, () => ['context.ip', 'subject.properties.email', 'resource.properties']),
  );
  expect(JSON.parse(logged()[0] ?? '').inputs).toMatchObject({
    subject: { properties: { team: 'red' } },
    context: { mfa: true },
  });

  // A later revision says that only the IBAN is sensitive.
  const next = bundleOf(tenant({ revision: 2, sensitive: { invoice: ['iban'], user: [], context: [] } }));
  await cloud.serve(next);
  await agent.serves(next.revision);
  await agent.authorize(body('invoice'));
  expect(JSON.parse(logged()[3] ?? '').inputs).toMatchObject({
    masked: ['resource.properties.iban'],
    resource: { properties: { amount: 7 } },
    context: { ip: 'hunter2-ip' },
  });
});

it('writes the decision log to a file and to standard output alike', async () => {
  const file = join(home, 'decisions.jsonl');
  const agent = await start(`stdout file://${file}`);
  await ask(agent, named('someone', 3));
  await until(() => expect(agent.stdout).toHaveLength(3));
  expect(readFileSync(file, 'utf8')).toBe(agent.stdout.map((line) => `${line}\n`).join(''));
});

const hasRsyslog = spawnSync('sh', ['-c', 'rsyslogd -v && ls /usr/lib/*/rsyslog/lmnsd_ossl.so']).status === 0;

it.skipIf(!hasRsyslog)('sends the decision log to rsyslog over TLS, and again what rsyslog did not read', async () => {
  const [key, cert, log] = ['key.pem', 'cert.pem', 'syslog.log'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    ...names,
    '-keyout',
    key,
    '-out',
    cert,
  ]);
  const port = 20_000 + (process.pid % 20_000);
  writeFileSync(
    join(home, 'rsyslog.conf'),
    `global(maxMessageSize="64k" workDirectory="${home}" defaultNetstreamDriver="ossl" defaultNetstreamDriverCAFile="${cert}"
  defaultNetstreamDriverCertFile="${cert}" defaultNetstreamDriverKeyFile="${key}")
module(load="imtcp" streamDriver.name="ossl" streamDriver.mode="1" streamDriver.authMode="anon")
input(type="imtcp" port="${port}" address="127.0.0.1")
template(name="line" type="string" string="%msg%\\n")
action(type="omfile" file="${log}" template="line")
`,
  );
  const rsyslog = () => {
    const child = spawn('rsyslogd', ['-n', '-i', join(home, 'rsyslog.pid'), '-f', join(home, 'rsyslog.conf')], {
      stdio: 'pipe',
    });
    return child;
  };
  const lines = () => readFileSync(log, 'utf8');
  let server = rsyslog();
  try {
    const agent = await start(`syslog+tls://127.0.0.1:${port}#ca_file=${cert}`);
    await ask(agent, named('early', 10));
    await until(() => expect(lines()).toContain('early-9'));
    server.kill('SIGKILL');
    await ask(agent, named('later', 10));
    server = rsyslog();
    await until(() => expect(lines()).toContain('later-9'));
    expect(verified(lines())).toMatchObject({
      status: 0,
      report: { missing: [], gaps: [], processes: [{ first: 1, last: 20 }] },
    });
  } finally {
    server.kill('SIGKILL');
  }
});
